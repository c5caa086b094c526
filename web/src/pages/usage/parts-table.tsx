// The sums of each model, project, agent or show.
import type { UsageReport } from "@/api/usage";
import { compact, formatInteger } from "@/domain/text/format";
import {
  amountOf,
  costText,
  formatValue,
  type Measure,
  partName,
  STACKS,
  type Stack,
  tokenKinds,
} from "@/domain/usage/usage";
import { Panel } from "@/ui/page";
import { RunsLink } from "./runs-link";
import classes from "./tables.module.css";
import { toneOf } from "./tones";
import shared from "./usage.module.css";

interface PartsTableProps {
  data: UsageReport;
  measure: Measure;
  stack: Stack;
}

export function PartsTable({ data, measure, stack }: PartsTableProps) {
  const isUsage = data.measure === "usage";
  const total = amountOf(data.total, measure);
  return (
    <Panel className={classes.tablePanel}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th>{STACKS[stack]}</th>
            <th className={classes.shareColumn}>Share</th>
            <th className={classes.runs}>Runs</th>
            {isUsage ? <UsageHeads /> : <th>{measure === "time" ? "Time" : "Waited"}</th>}
          </tr>
        </thead>
        <tbody>
          {data.parts.map((part, index) => {
            const name = partName(part.name, stack);
            const share = total > 0 ? amountOf(part, measure) / total : 0;
            const isUnknown = measure === "cost" && part.usage?.cost_microusd === null;
            return (
              <tr key={part.name ?? "\0others"}>
                <th scope="row" className={classes.part}>
                  <i className={shared.key} style={{ background: toneOf(index, part.name) }} />
                  {part.name ? (
                    <RunsLink since={data.since} until={data.until} filter={{ [stack]: part.name }}>
                      {name}
                    </RunsLink>
                  ) : (
                    name
                  )}
                </th>
                <td className={classes.shareColumn}>
                  <span className={classes.share}>
                    <span style={{ width: `${share * 100}%`, background: toneOf(index, part.name) }} />
                  </span>
                  <span className={classes.percent}>{isUnknown ? "–" : `${Math.round(share * 100)} %`}</span>
                </td>
                <td className={classes.runs}>{formatInteger(part.runs)}</td>
                {part.usage ? <UsageCells usage={part.usage} /> : <td>{formatValue(part.seconds ?? 0, measure)}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </Panel>
  );
}

export function UsageHeads() {
  return (
    <>
      <th className={classes.kind}>In</th>
      <th className={classes.kind}>Out</th>
      <th className={classes.kind}>Cache read</th>
      <th className={classes.kind}>Cache write</th>
      <th>Total tokens</th>
      <th>Cost</th>
    </>
  );
}

export function UsageCells({ usage }: { usage: NonNullable<UsageReport["total"]["usage"]> }) {
  return (
    <>
      <td className={classes.kind}>{compact(usage.input)}</td>
      <td className={classes.kind}>{compact(usage.output)}</td>
      <td className={classes.kind}>{compact(usage.cache_read)}</td>
      <td className={classes.kind}>{compact(usage.cache_write)}</td>
      <td title={tokenKinds(usage)}>{compact(usage.total)}</td>
      <td
        title={
          usage.unpriced_tokens > 0 ? `${formatInteger(usage.unpriced_tokens)} tokens of unknown price` : undefined
        }
      >
        {costText(usage)}
      </td>
    </>
  );
}
