import type { Show } from "@/api/shows";
import { progressOf } from "@/domain/shows/progress";
import { SegmentBar } from "@/ui/data/bar-charts";
import { RelativeTime } from "@/ui/data/time";
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
        {show.repo && <Fact name="Repository" value={show.repo} />}
        {show.base_branch && (
          <Fact name="Branch" value={`${show.base_branch} → ${show.integration_branch ?? "–"}`} />
        )}
        <Fact name="Source" value={show.status_source === "sqlite" ? "database" : "folder only"} />
        <div>
          <dt>Updated</dt>
          <dd>
            <RelativeTime at={show.updated_at} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </div>
  );
}
