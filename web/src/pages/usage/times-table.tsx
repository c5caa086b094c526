// The sums of each hour or day: the numbers of the chart, the newest first.
import type { UsageReport } from "@/api/usage";
import { amountOf, bucketTitle, formatValue, type Measure } from "@/domain/usage/usage";
import { Panel } from "@/ui/page";
import { UsageCells, UsageHeads } from "./parts-table";
import { RunsLink } from "./runs-link";
import classes from "./tables.module.css";

export function TimesTable({ data, measure }: { data: UsageReport; measure: Measure }) {
  const rows = data.buckets.filter((bucket) => (bucket.usage?.total ?? bucket.seconds ?? 0) > 0).toReversed();
  return (
    <Panel className={classes.tablePanel}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th>{data.by === "hour" ? "Hour" : "Day"}</th>
            {data.measure === "usage" ? <UsageHeads /> : <th>{measure === "time" ? "Time" : "Waited"}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((bucket) => (
            <tr key={bucket.at}>
              <th scope="row">
                <RunsLink since={bucket.at} until={bucket.until}>
                  {bucketTitle(bucket.at, data.by)}
                </RunsLink>
              </th>
              {bucket.usage ? (
                <UsageCells usage={bucket.usage} />
              ) : (
                <td>{formatValue(amountOf(bucket, measure), measure)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
