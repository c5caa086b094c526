// The tags and the note of a run, under its header.
import type { Run } from "@/api/runs";
import { TagChips } from "./label-chips";
import classes from "./labels.module.css";

export function RunLabels({ run }: { run: Run }) {
  const isLabelled = run.note || run.tags.some((tag) => tag !== "starred");
  if (!isLabelled) return null;
  return (
    <div className={classes.labels}>
      <TagChips run={run} />
      {run.note && (
        <section className={classes.note} aria-label="Note">
          {run.note}
        </section>
      )}
    </div>
  );
}
