import { Tooltip } from "@mantine/core";
import type { ShowListed } from "@/api/shows";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { ShowProgress } from "@/ui/data/show-progress";
import { UsageCost, UsageTokens } from "@/ui/data/show-usage";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { RowLink } from "@/ui/list/list-row";
import { CodeSpans } from "@/ui/text/code-spans";
import classes from "./shows.module.css";

export function ShowRow({ show, id, active }: { show: ShowListed; id: string; active: boolean }) {
  const { plays_merged: merged, plays_total: total, waits_for: waits } = show;
  return (
    <li id={id} className={classes.row} data-active={active}>
      <div className={classes.main}>
        <div className={classes.title}>
          <RowLink to="/shows/$topic" params={{ topic: show.topic }}>
            {show.topic}
          </RowLink>
          <StatePill state={show.state} />
        </div>
        <div className={classes.goal} data-error={Boolean(show.error)}>
          {show.error ?? show.goal ?? "No goal"}
        </div>
        {waits.length > 0 && (
          <div className={classes.waits} title={waits.map(({ title }) => escapeBidi(title)).join("\n")}>
            <CodeSpans text={waits[0]?.title} />
            {waits.length > 1 && <span className={classes.more}> and {waits.length - 1} more</span>}
          </div>
        )}
      </div>
      <div className={classes.progress}>
        <ShowProgress show={show} />
        <span className={classes.progressText}>
          {total === 0 ? "No plays" : `${merged}/${total} merged`}
          <RunningPlays names={show.running_plays} />
        </span>
      </div>
      <span className={classes.number} data-empty={!show.usage?.total}>
        <UsageTokens usage={show.usage} />
        <span className={classes.unit}> tokens</span>
      </span>
      <span className={classes.number} data-empty={!show.usage?.total}>
        <UsageCost usage={show.usage} />
      </span>
      <span className={classes.updated}>
        <RelativeTime at={show.updated_at} />
        {show.status_source !== "sqlite" && <span className={classes.source}>folder, not imported</span>}
      </span>
    </li>
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
