// The most expensive runs of the range.
import type { UsageReport } from "@/api/usage";
import { TextLink } from "@/ui/link";
import { Panel } from "@/ui/page";
import { UsageCells, UsageHeads } from "./parts-table";
import classes from "./tables.module.css";

export function TopRuns({ runs }: { runs: UsageReport["top_runs"] }) {
  return (
    <Panel className={classes.tablePanel}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th>Run</th>
            <th className={classes.text}>Project</th>
            <UsageHeads />
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <TextLink to="/runs/$runId" params={{ runId: run.id }}>
                  {run.name}
                </TextLink>
              </th>
              <td className={classes.text}>{run.project ?? "–"}</td>
              <UsageCells usage={run.usage} />
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
