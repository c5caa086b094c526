import type { Show } from "@/api/shows";
import { progressOf, sourceLabel } from "@/domain/shows/progress";
import { SegmentBar } from "@/ui/data/bar-charts";
import { RelativeTime } from "@/ui/data/time";
import { Fact } from "./play-details";
import classes from "./show.module.css";

export function ShowFacts({ show }: { show: Show }) {
  const counts: Record<string, number> = {};
  for (const play of show.plays) {
    const status = play.meta.status ?? "pending";
    counts[status] = (counts[status] ?? 0) + 1;
  }
  const { merged, total, parts } = progressOf(counts);
  return (
    <section className={classes.facts} aria-label="About">
      <p className={classes.goal}>{show.goal ?? "No goal"}</p>
      <div className={classes.progress}>
        <SegmentBar parts={parts} label={`${merged} of ${total} plays merged`} />
        <span>
          {merged}/{total} merged
        </span>
      </div>
      <dl className={classes.factList}>
        {show.repo && (
          <Fact name="Repository">
            <code>{show.repo}</code>
          </Fact>
        )}
        {show.base_branch && (
          <Fact name="Branch">
            <code>
              {show.base_branch} → {show.integration_branch ?? "–"}
            </code>
          </Fact>
        )}
        <Fact name="Source">{sourceLabel(show.status_source)}</Fact>
        <Fact name="Updated">
          <RelativeTime at={show.updated_at} />
        </Fact>
      </dl>
    </section>
  );
}
