// The star and the tags of a run.
import { IconStarFilled } from "@tabler/icons-react";
import { STARRED } from "@/api/run-list/labels";
import type { Run } from "@/api/runs";
import { isStarred } from "./labels";
import classes from "./labels.module.css";

export function StarMark({ run }: { run: Pick<Run, "tags"> }) {
  if (!isStarred(run)) return null;
  return <IconStarFilled size={13} className={classes.star} role="img" aria-label="Starred" />;
}

export function TagChips({ run, most = 50 }: { run: Pick<Run, "tags">; most?: number }) {
  const tags = run.tags.filter((tag) => tag !== STARRED);
  if (tags.length === 0) return null;
  return (
    <span className={classes.tags}>
      {tags.slice(0, most).map((tag) => (
        <span key={tag} className={classes.tag}>
          {tag}
        </span>
      ))}
      {tags.length > most && (
        <span className={classes.tag} title={tags.slice(most).join(", ")}>
          +{tags.length - most}
        </span>
      )}
    </span>
  );
}
