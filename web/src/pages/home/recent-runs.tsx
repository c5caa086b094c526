import type { Run } from "@/api/runs";
import { modelName } from "@/domain/runs/model-name";
import { StatePill, StateSummary } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { Panel } from "@/ui/page";
import classes from "./home.module.css";

export function RecentRuns({ runs }: { runs: Run[] }) {
  return (
    <Panel>
      <ul className={classes.list}>
        {runs.slice(0, 12).map((run) => (
          <li key={run.id} className={classes.recentRow}>
            <span className={classes.pill}>
              <StatePill state={run.state} />
            </span>
            <TextLink to="/runs/$runId" params={{ runId: run.id }} className={classes.titleLink}>
              {run.display_name}
            </TextLink>
            <span className={classes.origin} data-why={Boolean(run.state.summary)}>
              {run.state.summary ? <StateSummary state={run.state} /> : originOf(run)}
            </span>
            <span className={classes.time}>
              <RelativeTime at={run.last_message_at ?? run.updated_at} />
            </span>
          </li>
        ))}
      </ul>
      <TextLink to="/runs" className={classes.footerButton}>
        All runs
      </TextLink>
    </Panel>
  );
}

function originOf(run: Run): string {
  return [run.project, run.model && modelName(run.model), run.source_name].filter(Boolean).join(" · ");
}
