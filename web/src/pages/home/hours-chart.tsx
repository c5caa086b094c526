import { groupByHour, type HourRow, RUN_OUTCOMES } from "@/domain/runs/outcomes";
import { compact, cost, plural } from "@/domain/text/format";
import { type Bar, StackedBars } from "@/ui/data/bar-charts";
import { useNow } from "@/ui/data/use-now";
import { Panel } from "@/ui/page";
import classes from "./home.module.css";

export function HoursChart({ rows }: { rows: HourRow[] }) {
  const hours = groupByHour(rows, useNow());
  const bars: Bar[] = hours.map((hour) => ({
    key: hour.at,
    label: new Date(hour.at * 1000).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" }),
    parts: RUN_OUTCOMES.map(({ status, name, tone }) => ({ tone, name, value: hour.runs[status] ?? 0 })),
    more: hour.tokens > 0 && `${compact(hour.tokens)} tokens · ${cost(hour.cost)}`,
  }));
  const total = (status: string): number => hours.reduce((sum, hour) => sum + (hour.runs[status] ?? 0), 0);
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
        {RUN_OUTCOMES.filter(({ status }) => total(status) > 0).map(({ status, name, tone }) => (
          <span key={status} className={classes.legendItem}>
            <i style={{ background: `var(--bar-${tone})` }} /> {total(status)} {name}
          </span>
        ))}
      </div>
    </Panel>
  );
}
