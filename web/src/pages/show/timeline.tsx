// What ran when, a lane for each play; the critical path is marked.

import { extent, lanes } from "@/domain/shows/timeline";
import { duration, moment, plural } from "@/domain/text/format";
import { useNow } from "@/ui/data/use-now";
import { Panel } from "@/ui/page";
import type { Linked } from "./graph-panel";
import classes from "./timeline.module.css";

export function Timeline({ show, marked, hover, open }: Linked) {
  const now = useNow(show.running_plays.length > 0);
  const all = lanes(show.plays, now);
  const span = extent(all);
  if (span === null) return null;
  const [from, to] = span;
  const path = new Set(show.critical_path);
  const tones = new Map(show.plays.map((play) => [play.name, play.badges[0]?.tone]));
  const percent = (at: number): number => ((at - from) / (to - from)) * 100;
  const begun = all.filter((lane) => lane.from !== null && lane.to !== null);
  return (
    <section className={classes.section} aria-label="What ran when">
      <div className={classes.head}>
        <h2>What ran when</h2>
        <span>
          {duration((to - from) * 1000)} from {moment(from)}
        </span>
      </div>
      <Panel className={classes.panel}>
        {begun.map(({ name, from: start, to: end, going }) => (
          <button
            type="button"
            key={name}
            className={classes.lane}
            data-marked={name === marked}
            onMouseEnter={() => hover(name)}
            onMouseLeave={() => hover(undefined)}
            onClick={() => open(name)}
          >
            <span className={classes.name} data-critical={path.has(name)}>
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
            <span className={classes.time}>{duration(((end ?? to) - (start ?? from)) * 1000)}</span>
          </button>
        ))}
        {begun.length < all.length && (
          <div className={classes.rest}>
            {plural(all.length - begun.length, "play has", "plays have")} not begun
          </div>
        )}
      </Panel>
    </section>
  );
}
