import { Tooltip } from "@mantine/core";
import type { ShowListed } from "@/api/shows";
import { sourceLabel } from "@/domain/shows/source-label";
import { plural } from "@/domain/text/format";
import { ShowProgress } from "@/ui/data/show-progress";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { ListRow, RowLink } from "@/ui/list/list-row";
import classes from "./shows.module.css";

export function ShowRow({ show, id, active }: { show: ShowListed; id: string; active: boolean }) {
  const { plays_merged: merged, plays_total: total } = show;
  return (
    <ListRow
      id={id}
      active={active}
      title={
        <>
          <RowLink to="/shows/$topic" params={{ topic: show.topic }}>
            {show.topic}
          </RowLink>
          <StatePill state={show.state} />
        </>
      }
      description={show.goal ?? "No goal"}
      error={show.error}
    >
      <span className={classes.progress}>
        <ShowProgress show={show} />
        <span className={classes.progressText}>
          {total === 0 ? "No plays" : `${merged}/${total} merged`}
          <RunningPlays names={show.running_plays} />
        </span>
      </span>
      <span className={classes.updated}>
        <RelativeTime at={show.updated_at} />
        <span className={classes.source}>{sourceLabel(show.status_source)}</span>
      </span>
    </ListRow>
  );
}

function RunningPlays({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <Tooltip label={names.join(", ")}>
      <span> · {names.length === 1 ? names[0] : plural(names.length, "play")} running</span>
    </Tooltip>
  );
}
