import { groupByHour, type HourRow, outcomesOf } from "@/domain/runs/hours";
import { compact, cost, plural } from "@/domain/text/format";
import { type Bar, StackedBars } from "@/ui/data/bar-charts";
import { useNow } from "@/ui/data/use-now";
import { Panel } from "@/ui/page";
import classes from "./home.module.css";

export function HoursChart({ rows }: { rows: HourRow[] }) {
  const hours = groupByHour(rows, useNow());
  const outcomes = outcomesOf(rows);
  const bars: Bar[] = hours.map((hour) => ({
    key: hour.at,
    label: new Date(hour.at * 1000).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" }),
    parts: outcomes.map(({ status, label, tone }) => ({ tone, name: label, value: hour.runs[status] ?? 0 })),
    more: hour.tokens > 0 && `${compact(hour.tokens)} tokens · ${cost(hour.cost)}`,
  }));
  const runs = rows.reduce((sum, row) => sum + row.runs, 0);
  const tokens = hours.reduce((sum, hour) => sum + hour.tokens, 0);
  const spent = hours.reduce((sum, hour) => sum + hour.cost, 0);
  return (
    <Panel className={classes.panelBody}>
      <div className={classes.totals}>
        <b>{plural(runs, "run")}</b>
        <span>{compact(tokens)} tokens</span>
        <span>{cost(spent)}</span>
      </div>
      <StackedBars bars={bars} label={`${plural(runs, "run")} in the last 24 hours, by hour and outcome`} />
      <div className={classes.legend}>
        {outcomes.map(({ status, label, tone, runs }) => (
          <span key={status} className={classes.legendItem}>
            <i style={{ background: `var(--bar-${tone})` }} /> {runs} {label}
          </span>
        ))}
      </div>
    </Panel>
  );
}
