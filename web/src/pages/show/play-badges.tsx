// The state of a play (ADR-0011): a filled pill for the lifecycle, outlined badges for gate and integration.
import { Tooltip } from "@mantine/core";
import type { Play } from "@/api/shows";
import classes from "./plays-table.module.css";

export function PlayBadges({ play }: { play: Play }) {
  const evidence = play.state?.reasons.map((reason) => reason.evidence ?? reason.message).join(" · ");
  const status = `status ${play.meta.status ?? "unknown"}`;
  return (
    <Tooltip label={evidence ? `${status} · ${evidence}` : status}>
      <span className={classes.badges}>
        {play.badges.map((badge) => (
          <span key={badge.kind} className={classes.badge} data-kind={badge.kind} data-tone={badge.tone}>
            {badge.label}
          </span>
        ))}
      </span>
    </Tooltip>
  );
}
