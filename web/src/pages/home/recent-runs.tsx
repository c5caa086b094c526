import type { Run } from "@/api/runs";
import { sourceName } from "@/domain/runs/source-name";
import { StatePill } from "@/ui/data/state-pill";
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
            <span className={classes.origin}>
              {[run.project, run.model, sourceName(run.source_kind)].filter(Boolean).join(" · ")}
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
