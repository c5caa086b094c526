import { Tooltip } from "@mantine/core";
import type { Schema } from "@/api/keys";
import classes from "./show-progress.module.css";

interface ShowProgressProps {
  show: Pick<Schema<"ShowListed">, "plays_by_group" | "plays_merged" | "plays_total">;
}

/** A thin bar with one segment for each group of plays; pending plays are the part that is still empty. */
export function ShowProgress({ show: { plays_by_group, plays_total } }: ShowProgressProps) {
  const words = plays_by_group.map(({ plays, label }) => `${plays} ${label}`).join(" · ") || "no plays";
  return (
    <Tooltip label={words}>
      <div className={classes.bar} role="img" aria-label={`Plays: ${words}`}>
        {plays_by_group
          .filter(({ group }) => group !== "pending")
          .map(({ group, tone, plays }) => (
            <div key={group} style={{ width: `${(plays / plays_total) * 100}%`, background: `var(--bar-${tone})` }} />
          ))}
      </div>
    </Tooltip>
  );
}
