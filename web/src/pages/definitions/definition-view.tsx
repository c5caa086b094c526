// A definition for reading: text, facts and recent runs.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Detail, definitions } from "@/api/definitions";
import { newestRuns } from "@/api/runs";
import { splitFrontMatter } from "@/domain/text/front-matter";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { Markdown } from "@/ui/text/markdown";
import { ProblemList } from "@/ui/text/problem-list";
import classes from "./definitions.module.css";
import { useKind } from "./kinds";
import { PlaybookArguments } from "./playbook-arguments";
import { YamlText } from "./yaml-text";

export function DefinitionView({ detail }: { detail: Detail }) {
  const info = useKind();
  const { definition, text } = detail;
  const isYaml = info.language === "yaml";
  const args = definition.args ?? [];
  return (
    <div className={classes.columns}>
      <div>
        <ProblemList problems={definition.problems} />
        {args.length > 0 && <PlaybookArguments args={args} />}
        {text && (isYaml ? <YamlText text={text} /> : <Markdown text={splitFrontMatter(text).body} />)}
      </div>
      <div>
        <Section title="About">
          <Panel className={classes.about}>
            <dl className={classes.facts}>
              {definition.description && <Fact name="Description">{definition.description}</Fact>}
              {definition.model && <Fact name="Model">{definition.model}</Fact>}
              {definition.effort && <Fact name="Effort">{definition.effort}</Fact>}
              {definition.mode && <Fact name="Mode">{definition.mode}</Fact>}
              {definition.agents && definition.agents.length > 0 && <AgentLinks names={definition.agents} />}
              <Fact name="File">{definition.path}</Fact>
            </dl>
          </Panel>
        </Section>
        <RecentRuns name={definition.name} />
      </div>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Links to the agents that exist; a provider such as `claude` has no page. */
function AgentLinks({ names }: { names: string[] }) {
  const query = useQuery(definitions("agent"));
  const known = new Set(query.data?.items.map((agent) => agent.name));
  return (
    <Fact name={names.length === 1 ? "Agent" : "Agents"}>
      {names.map((name, index) => (
        <span key={`${name} ${index}`}>
          {index > 0 && ", "}
          {known.has(name) ? (
            <TextLink to="/agents/$name" params={{ name }} className={classes.inlineLink}>
              {name}
            </TextLink>
          ) : (
            name
          )}
        </span>
      ))}
    </Fact>
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
            {data.runs.length > 0 && (
              <TextLink to="/runs" search={{ [info.filter]: name }} className={classes.footerLink}>
                All runs of {name}
              </TextLink>
            )}
          </Panel>
        )}
      </Loaded>
    </Section>
  );
}
