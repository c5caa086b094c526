import { groupByHour, type HourRow, outcomesOf } from "@/domain/runs/hours";
import { clockTime, plural } from "@/domain/text/format";
import { type Bar, StackedBars } from "@/ui/data/bar-charts";
import { useNow } from "@/ui/data/use-now";
import { Panel } from "@/ui/page";
import classes from "./home.module.css";
import { TopRuns } from "./top-runs";
import { UsageSums } from "./usage-sums";

export function HoursChart({ rows }: { rows: HourRow[] }) {
  const hours = groupByHour(rows, useNow());
  const outcomes = outcomesOf(rows);
  const bars: Bar[] = hours.map((hour) => ({
    key: hour.at,
    label: clockTime(hour.at),
    parts: outcomes.map(({ status, label, tone }) => ({ tone, name: label, value: hour.runs[status] ?? 0 })),
  }));
  const runs = rows.reduce((sum, row) => sum + row.runs, 0);
  return (
    <Panel className={classes.panelBody}>
      <UsageSums />
      <TopRuns />
      <div className={classes.totals}>
        <b>{plural(runs, "run")}</b>
        <span>started in the last 24 hours</span>
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
