// Facts about a run, and its tools.
import { sourceName } from "@/domain/runs/source-name";
import { formatInteger, plural } from "@/domain/text/format";
import { RelativeTime } from "@/ui/data/time";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { CopyButton } from "@/ui/text/copy-button";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const MAX_TOOLS = 12;

export function Overview({ detail: { session }, outline }: SectionProps) {
  const facts: [string, string | null | undefined][] = [
    ["Kind", session.invocation_kind],
    ["Agent", session.agent_name],
    ["Playbook", session.playbook_name],
    ["Provider", session.provider],
    ["Model", session.model],
    ["Project", session.project],
    ["Folder", session.cwd],
    ["Commit", session.git_commit],
    ["Source", sourceName(session.source_kind)],
    ["User", session.user],
    ["Exit code", session.exit_code === null ? null : String(session.exit_code)],
    ["Tokens in", formatInteger(session.input_tokens)],
    ["Tokens out", formatInteger(session.output_tokens)],
    ["Cache read", formatInteger(session.cache_read_tokens)],
    ["Cache written", formatInteger(session.cache_write_tokens)],
  ];
  return (
    <>
      <dl className={classes.facts}>
        <dt>ID</dt>
        <dd>
          <code>{session.id}</code> <CopyButton text={session.id} label="Copy id" />
        </dd>
        <dt>Started</dt>
        <dd>
          <RelativeTime at={session.started_at ?? session.created_at} />
        </dd>
        {session.ended_at && (
          <>
            <dt>Ended</dt>
            <dd>
              <RelativeTime at={session.ended_at} />
            </dd>
          </>
        )}
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== "0")
          .map(([name, value]) => (
            <Fact key={name} name={name} value={value ?? ""} />
          ))}
      </dl>
      {outline ? <Tools tools={outline.tools} /> : <LoadingLine label="tools" />}
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function Tools({ tools }: { tools: Record<string, { calls: number; errors: number }> }) {
  const sorted = Object.entries(tools).sort(([, a], [, b]) => b.calls - a.calls);
  const most = Math.max(1, ...sorted.map(([, { calls }]) => calls));
  if (sorted.length === 0) return null;
  return (
    <>
      <h3 className={classes.subheading}>Tools</h3>
      <ul className={classes.toolList}>
        {sorted.slice(0, MAX_TOOLS).map(([tool, { calls, errors }]) => (
          <li key={tool} title={`${plural(calls, "call")}, ${errors} failed`}>
            <code>{tool}</code>
            <span className={classes.callBar}>
              <span style={{ width: `${((calls - errors) / most) * 100}%` }} />
              <span data-failed style={{ width: `${(errors / most) * 100}%` }} />
            </span>
            <span className={classes.number}>
              {formatInteger(calls)}
              {errors > 0 && <em> · {formatInteger(errors)} failed</em>}
            </span>
          </li>
        ))}
      </ul>
      {sorted.length > MAX_TOOLS && <p className="muted">and {plural(sorted.length - MAX_TOOLS, "more tool")}</p>}
    </>
  );
}
