// The numbers of the range. Each leads to the runs behind it.
import { Tooltip } from "@mantine/core";
import type { UsageReport } from "@/api/usage";
import { compact, cost, formatInteger } from "@/domain/text/format";
import {
  amountOf,
  bucketTitle,
  cacheHitRate,
  costText,
  formatValue,
  highestOf,
  type Measure,
  tokenKinds,
  type UsageNumbers,
} from "@/domain/usage/usage";
import { RunsLink } from "./runs-link";
import classes from "./usage.module.css";

const RUNS_COUNTED: Record<Measure, string> = {
  cost: "that used tokens",
  tokens: "that used tokens",
  time: "created in this range",
  waiting: "that asked you",
};

export function Totals({ data, measure }: { data: UsageReport; measure: Measure }) {
  const { usage, seconds, runs } = data.total;
  const peak = highestOf(data.buckets, measure);
  const hitRate = usage ? cacheHitRate(usage) : undefined;
  return (
    <div className={classes.totals}>
      {usage && <Fact name="Cost" value={costText(usage)} note={unpricedNote(usage)} data={data} />}
      {usage && <Fact name="Total tokens" value={compact(usage.total)} note={tokenKinds(usage)} data={data} />}
      {seconds !== null && (
        <Fact
          name={measure === "time" ? "Agent time" : "Waited for you"}
          value={formatValue(seconds, measure)}
          data={data}
        />
      )}
      <Fact name="Runs" value={formatInteger(runs)} note={RUNS_COUNTED[measure]} data={data} />
      {hitRate !== undefined && (
        <Fact
          name="Cache hit rate"
          value={`${Math.round(hitRate * 100)} %`}
          note="Share of sent tokens read from the cache"
          data={data}
        />
      )}
      {peak && (
        <Fact
          name={`Peak ${data.by}`}
          value={formatValue(amountOf(peak, measure), measure)}
          note={bucketTitle(peak.at, data.by)}
          data={data}
          since={peak.at}
          until={peak.until}
        />
      )}
      {data.budget && <Budget budget={data.budget} />}
    </div>
  );
}

interface FactProps {
  name: string;
  value: string;
  note?: string | undefined;
  data: UsageReport;
  since?: number;
  until?: number;
}

function Fact({ name, value, note, data, since = data.since, until = data.until }: FactProps) {
  return (
    <RunsLink since={since} until={until} className={classes.total}>
      <span className={classes.totalName}>{name}</span>
      <span className={classes.totalValue}>{value}</span>
      <span className={classes.totalNote}>{note}</span>
    </RunsLink>
  );
}

/** The month against its budget: a line with its end marked, and the same in words. */
function Budget({ budget }: { budget: NonNullable<UsageReport["budget"]> }) {
  const spent = budget.spent.cost_microusd ?? 0;
  const share = spent / budget.limit_microusd;
  return (
    <Tooltip label="The setting usage_budget_usd">
      <div className={classes.total} data-over={share > 1}>
        <span className={classes.totalName}>Budget of {budget.month}</span>
        <span className={classes.totalValue}>{Math.round(share * 100)} %</span>
        <progress className={classes.budget} max={1} value={Math.min(1, share)} aria-label="Spent of the budget" />
        <span className={classes.totalNote}>
          {costText(budget.spent)} of {cost(budget.limit_microusd)}
          {share > 1 ? ": over budget" : ""}
        </span>
      </div>
    </Tooltip>
  );
}

function unpricedNote(usage: UsageNumbers): string | undefined {
  return usage.unpriced_tokens > 0 ? `${compact(usage.unpriced_tokens)} tokens of unknown price` : undefined;
}
