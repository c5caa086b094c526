// Facts about a run in one line.
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { modelName } from "@/domain/runs/model-name";
import { formatInteger, plural } from "@/domain/text/format";
import { Cost, Tokens } from "@/ui/data/amounts";
import { Duration, RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { CopyButton } from "@/ui/text/copy-button";
import type { Detail } from "../transcript/segments";
import classes from "./header.module.css";
import { lineageFacts } from "./lineage-facts";

export function RunFacts({ detail, children }: { detail: Detail; children?: ReactNode }) {
  const { session, source, terminal } = detail;
  const running = session.state.group === "running";
  return (
    <div className={classes.line}>
      <dl className={classes.facts}>
        {source && (
          <Fact name="Play">
            <TextLink to="/shows/$topic" params={{ topic: source.topic }} hash={`play-${source.play}`}>
              {source.topic} / {source.play}
            </TextLink>
          </Fact>
        )}
        {lineageFacts(detail).map(({ name, value }) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        {terminal && (
          <Fact name="Terminal">
            {terminal.label} · <RelativeTime at={terminal.since} />
          </Fact>
        )}
        {session.name && session.name !== session.display_name && <Fact name="Name">{session.name.slice(0, 60)}</Fact>}
        {session.title && session.title !== session.display_name && (
          <Fact name="Prompt">
            <span className={classes.text}>{session.title}</span>
          </Fact>
        )}
        {session.agent_name && session.agent_name !== session.display_name && (
          <Fact name="Agent">{session.agent_name.slice(0, 60)}</Fact>
        )}
        <Fact name="Duration">
          <Duration ms={session.duration_ms} since={running ? session.started_at : null} />
        </Fact>
        <Fact name="Started">
          <RelativeTime at={session.started_at ?? session.created_at} />
        </Fact>
        <Fact name="Messages">
          <Tooltip label={plural(session.branch_count, "branch", "branches")}>
            <span>{formatInteger(session.message_count)}</span>
          </Tooltip>
        </Fact>
        <Fact name="Tokens">
          <Tokens usage={session} />
        </Fact>
        <Fact name="Cost">
          <Cost microusd={session.cost_microusd} />
        </Fact>
        {session.model && (
          <Fact name="Model">
            <Tooltip label={session.model}>
              <span>{modelName(session.model)}</span>
            </Tooltip>
          </Fact>
        )}
        {session.machine_name && <Fact name="Machine">{session.machine_name.slice(0, 60)}</Fact>}
        {session.cwd && (
          <Fact name="Folder" wide>
            <Tooltip label={session.cwd}>
              <code className={classes.path}>{session.cwd}</code>
            </Tooltip>
          </Fact>
        )}
        {session.git_commit && (
          <Fact name="Commit">
            <code>{session.git_commit.slice(0, 8)}</code>
            <CopyButton text={session.git_commit} label="Copy commit" />
          </Fact>
        )}
      </dl>
      {children}
    </div>
  );
}

function Fact({ name, wide = false, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={classes.fact} data-wide={wide}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
