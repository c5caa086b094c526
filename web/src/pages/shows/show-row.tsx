// One show: its topic and goal, how far it is, what runs in it now.
import { Tooltip } from "@mantine/core";
import type { ShowListed } from "@/api/shows";
import { progressOf } from "@/domain/shows/progress";
import { plural } from "@/domain/text/format";
import { SegmentBar } from "@/ui/data/bar-charts";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import classes from "./shows.module.css";

export function ShowRow({ show, id, active }: { show: ShowListed; id: string; active: boolean }) {
  const { merged, all, parts } = progressOf(show.plays_by_status);
  return (
    <li id={id} className={classes.row} data-active={active}>
      <div className={classes.what}>
        <div className={classes.line}>
          <TextLink to="/shows/$topic" params={{ topic: show.topic }} className={classes.topic}>
            {show.topic}
          </TextLink>
          <StatePill state={show.state} />
        </div>
        <div className={classes.goal}>{show.error ?? show.goal ?? "no goal written down"}</div>
      </div>
      <div className={classes.progress}>
        <SegmentBar parts={parts} label={`${merged} of ${all} plays merged`} />
        <span className={classes.progressText}>
          {all === 0 ? "no plays" : `${merged}/${all} merged`}
          <Running names={show.running_plays} />
        </span>
      </div>
      <div className={classes.updated}>
        <RelativeTime at={show.updated_at} />
        <span className={classes.source}>{show.status_source}</span>
      </div>
    </li>
  );
}

function Running({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <Tooltip label={names.join(", ")}>
      <span> · {names.length === 1 ? `${names[0]} runs` : `${plural(names.length, "play")} run`}</span>
    </Tooltip>
  );
}
