import { Button } from "@mantine/core";
import type { Schema } from "@/api/keys";
import { ShowProgress } from "@/ui/data/show-progress";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { openNewRun } from "@/ui/new-run/open-new-run";
import { Panel } from "@/ui/page";
import classes from "./home.module.css";

export function ActiveShows({ shows }: { shows: Schema<"ShowListed">[] }) {
  if (shows.length === 0) {
    return (
      <Panel className={classes.panelBody}>
        <span className="muted">
          No active shows.{" "}
          <Button variant="subtle" size="compact-xs" onClick={() => openNewRun({ kind: "show" })}>
            New show
          </Button>
        </span>
      </Panel>
    );
  }
  return (
    <Panel>
      {shows.map((show) => (
        <TextLink key={show.topic} to="/shows/$topic" params={{ topic: show.topic }} className={classes.show}>
          <span className={classes.showHeader}>
            <b>{show.topic}</b>
            <StatePill state={show.state} plain />
            <span className={classes.time}>
              <RelativeTime at={show.updated_at} />
            </span>
          </span>
          <ShowProgress show={show} />
          <span className={classes.showGoal}>
            {show.plays_merged}/{show.plays_total} merged{show.goal ? ` · ${show.goal}` : ""}
          </span>
        </TextLink>
      ))}
    </Panel>
  );
}
