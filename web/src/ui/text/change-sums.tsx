// Lines that a change adds and removes: "+15 −5".
import { formatInteger } from "@/domain/text/format";
import classes from "./change-sums.module.css";

interface ChangeSumsProps {
  added: number | null;
  removed: number | null;
  /** Not all lines are recorded, so that there are more. */
  partial?: boolean;
}

export function ChangeSums({ added, removed, partial = false }: ChangeSumsProps) {
  const isKnown = (added ?? 0) > 0 || (removed ?? 0) > 0 || (added !== null && removed !== null && !partial);
  if (!isKnown) return <span className={classes.sums}>lines not recorded</span>;
  return (
    <span className={classes.sums}>
      {added !== null && <span className={classes.added}>+{formatInteger(added)}</span>}
      {removed !== null && <span className={classes.removed}>−{formatInteger(removed)}</span>}
      {partial && <span>or more</span>}
    </span>
  );
}
