import type { Show } from "@/api/shows";
import { sourceLabel } from "@/domain/shows/source-label";
import { ShowProgress } from "@/ui/data/show-progress";
import { RelativeTime } from "@/ui/data/time";
import { Fact } from "./play-details";
import classes from "./show.module.css";

export function ShowFacts({ show }: { show: Show }) {
  return (
    <section className={classes.facts} aria-label="About">
      <p className={classes.goal}>{show.goal ?? "No goal"}</p>
      <div className={classes.progress}>
        <ShowProgress show={show} />
        <span>
          {show.plays_merged}/{show.plays_total} merged
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
