// What the header does not say about a run: context, cost by branch, tools, and the less common facts.
import { formatInteger, plural } from "@/domain/text/format";
import { Cost, Tokens } from "@/ui/data/amounts";
import { StatusHistory } from "@/ui/data/status-history";
import { RelativeTime } from "@/ui/data/time";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { CopyButton } from "@/ui/text/copy-button";
import { branchName } from "../branch-names";
import { ContextChart } from "./context-chart";
import { Lineage } from "./lineage";
import charts from "./overview.module.css";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const MAX_TOOLS = 12;
const MAX_BRANCHES = 8;

export function Overview({ detail, outline, goTo }: SectionProps) {
  const { session, transitions, artifacts } = detail;
  const { confinement } = detail.metadata;
  const facts: [string, string | null | undefined][] = [
    ["Kind", session.invocation_kind],
    ["Playbook", session.playbook_name],
    ["Provider", session.provider],
    ["Project", session.project],
    ["Machine", session.machine_name],
    ["Sandbox", typeof confinement === "string" ? confinement : null],
    ["Source", session.source_name],
    ["User", session.user],
    ["Tags", session.tags.join(", ")],
    ["Note", session.note],
    ["Exit code", session.exit_code === null ? null : String(session.exit_code)],
  ];
  return (
    <>
      {outline && <ContextChart outline={outline} branches={detail.branches.map(({ id }) => id)} goTo={goTo} />}
      {detail.branches.length > 1 && <CostByBranch branches={detail.branches} />}
      {outline ? <Tools tools={outline.tools} /> : <LoadingLine label="tools" />}
      <h3 className={classes.subheading}>Details</h3>
      <dl className={classes.facts}>
        <dt>ID</dt>
        <dd>
          <code>{session.id}</code> <CopyButton text={session.id} label="Copy id" />
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
      <Lineage detail={detail} />
      {artifacts.length > 0 && <Artifacts artifacts={artifacts} />}
      {transitions.length > 0 && (
        <>
          <h3 className={classes.subheading}>Status history</h3>
          <StatusHistory transitions={transitions} />
        </>
      )}
    </>
  );
}

function CostByBranch({ branches }: { branches: SectionProps["detail"]["branches"] }) {
  const dearest = branches.toSorted((a, b) => (b.cost_microusd ?? 0) - (a.cost_microusd ?? 0));
  return (
    <>
      <h3 className={classes.subheading}>Cost by branch</h3>
      <ul className={charts.costList}>
        {dearest.slice(0, MAX_BRANCHES).map((branch) => (
          <li key={branch.id}>
            <span className={charts.costName}>{branchName(branch)}</span>
            <span className={charts.number}>
              <Tokens usage={branch} /> tokens
            </span>
            <span className={charts.number}>
              <Cost microusd={branch.cost_microusd} />
            </span>
          </li>
        ))}
      </ul>
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

function Artifacts({ artifacts }: { artifacts: SectionProps["detail"]["artifacts"] }) {
  return (
    <>
      <h3 className={classes.subheading}>Expected artifacts</h3>
      <ul className="plain-list">
        {artifacts.map(({ id, path, state }) => (
          <li key={id}>
            <code className={classes.path}>{path}</code> <span className="muted">{state}</span>
          </li>
        ))}
      </ul>
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
      <ul className={charts.toolList}>
        {sorted.slice(0, MAX_TOOLS).map(([tool, { calls, errors }]) => (
          <li key={tool} title={`${plural(calls, "call")}, ${errors} failed`}>
            <code>{tool}</code>
            <span className={charts.callBar}>
              <span style={{ width: `${((calls - errors) / most) * 100}%` }} />
              <span data-failed style={{ width: `${(errors / most) * 100}%` }} />
            </span>
            <span className={charts.number}>
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
