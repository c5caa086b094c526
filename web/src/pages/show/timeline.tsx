// The timeline of a show: one lane for each play, with the critical path marked.

import { timelineLanes, timelineRange } from "@/domain/shows/timeline";
import { dateTime, duration, plural } from "@/domain/text/format";
import { useNow } from "@/ui/data/use-now";
import { Panel } from "@/ui/page";
import type { PlayLinkProps } from "./graph-panel";
import classes from "./timeline.module.css";

export function Timeline({ show, marked, hover, open }: PlayLinkProps) {
  const now = useNow(show.running_plays.length > 0);
  const lanes = timelineLanes(show.plays, now);
  const span = timelineRange(lanes);
  if (span === null) return null;
  const [from, to] = span;
  const path = new Set(show.critical_path);
  const tones = new Map(show.plays.map((play) => [play.name, play.badges[0]?.tone]));
  const percent = (at: number): number => ((at - from) / (to - from)) * 100;
  const started = lanes.filter((lane) => lane.from !== null && lane.to !== null);
  return (
    <section className={classes.section} aria-label="Timeline">
      <div className={classes.header}>
        <h2>Timeline</h2>
        <span>
          {duration((to - from) * 1000)} from {dateTime(from)}
        </span>
      </div>
      <Panel className={classes.panel}>
        {started.map(({ name, from: start, to: end, isRunning: going }) => (
          <button
            type="button"
            key={name}
            className={classes.lane}
            data-marked={name === marked}
            onMouseEnter={() => hover(name)}
            onMouseLeave={() => hover(undefined)}
            onClick={() => open(name)}
          >
            <span className={classes.laneName} data-critical={path.has(name)}>
              {name}
            </span>
            <span className={classes.track}>
              <span
                className={classes.bar}
                data-critical={path.has(name)}
                data-going={going}
                style={{
                  left: `${percent(start ?? from)}%`,
                  width: `max(3px, ${percent(end ?? to) - percent(start ?? from)}%)`,
                  background: `var(--bar-${tones.get(name) ?? "neutral"})`,
                }}
              />
            </span>
            <span className={classes.duration}>{duration(((end ?? to) - (start ?? from)) * 1000)}</span>
          </button>
        ))}
        {started.length < lanes.length && (
          <div className={classes.notStarted}>
            {plural(lanes.length - started.length, "play has", "plays have")} not started
          </div>
        )}
      </Panel>
    </section>
  );
}
