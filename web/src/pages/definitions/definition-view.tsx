// A definition for reading: text, facts and recent runs.
import { useQuery } from "@tanstack/react-query";
import type { Detail } from "@/api/definitions";
import { newestRuns } from "@/api/runs";
import { splitFrontMatter } from "@/domain/text/front-matter";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { CodeBlock } from "@/ui/text/code-block";
import { Markdown } from "@/ui/text/markdown";
import { ProblemList } from "@/ui/text/problem-list";
import classes from "./definitions.module.css";
import { useKind } from "./kinds";

export function DefinitionView({ detail }: { detail: Detail }) {
  const info = useKind();
  const { definition, text } = detail;
  const { head, body } = info.language === "markdown" ? splitFrontMatter(text ?? "") : { head: text ?? "", body: "" };
  return (
    <div className={classes.columns}>
      <div>
        {definition.error && <p className="error-text">{definition.error}</p>}
        <ProblemList problems={definition.problems} />
        {body && <Markdown text={body} />}
        {info.language === "yaml" && <CodeBlock text={head} label="Text" />}
      </div>
      <div>
        <Section title="About">
          <Panel className={classes.about}>
            <dl className={classes.facts}>
              {definition.description && <Fact name="Description" value={definition.description} />}
              {definition.model && <Fact name="Model" value={definition.model} />}
              {definition.effort && <Fact name="Effort" value={definition.effort} />}
              {definition.mode && <Fact name="Mode" value={definition.mode} />}
              {definition.agents && definition.agents.length > 0 && (
                <Fact name="Agents" value={definition.agents.join(", ")} />
              )}
              {definition.args && definition.args.length > 0 && (
                <Fact name="Arguments" value={definition.args.map((arg) => arg.name).join(", ")} />
              )}
              <Fact name="File" value={definition.path} />
            </dl>
          </Panel>
        </Section>
        <RecentRuns name={definition.name} />
      </div>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function RecentRuns({ name }: { name: string }) {
  const info = useKind();
  const query = useQuery(newestRuns({ [info.filter]: name }));
  return (
    <Section title="Recent runs">
      <Loaded query={query} label="Runs">
        {(data) => (
          <Panel>
            {data.runs.length === 0 && <p className={classes.empty}>No runs yet</p>}
            <ul className={classes.runs}>
              {data.runs.slice(0, 8).map((run) => (
                <li key={run.id}>
                  <TextLink to="/runs/$runId" params={{ runId: run.id }}>
                    {run.display_name}
                  </TextLink>
                  <StatePill state={run.state} plain />
                  <span className="muted">
                    <RelativeTime at={run.created_at} />
                  </span>
                </li>
              ))}
            </ul>
            {data.runs.length > 8 && (
              <TextLink to="/runs" search={{ [info.filter]: name }} className={classes.footerLink}>
                All runs
              </TextLink>
            )}
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}
