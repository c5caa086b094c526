// Counts that link to the lists behind them.
import { IconClock, IconClockPause, IconEye, IconLoader2, IconUsers, IconX } from "@tabler/icons-react";
import type { Schema } from "@/api/keys";
import { formatInteger } from "@/domain/text/format";
import { TextLink } from "@/ui/link";
import classes from "./cards.module.css";

const CARDS = [
  { key: "running", name: "Running", icon: IconLoader2, tone: "info" },
  { key: "failed_24h", name: "Failed, 24 h", icon: IconX, tone: "danger" },
  { key: "slow", name: "Slow", icon: IconClock, tone: "warning" },
  { key: "stale", name: "Stale", icon: IconClockPause, tone: "warning" },
  { key: "needs_review", name: "Needs review", icon: IconEye, tone: "warning" },
  { key: "teams_active", name: "Teams active", icon: IconUsers, tone: "neutral" },
] as const;

export function Cards({ cards }: { cards: Schema<"Cards"> }) {
  return (
    <div className={classes.cards}>
      {CARDS.map(({ key, name, icon: Icon, tone }) => {
        const count = cards[key];
        const link =
          key === "teams_active" ? { to: "/teams" as const } : { to: "/runs" as const, search: { card: key } };
        return (
          <TextLink key={key} {...link} className={classes.card} data-tone={count > 0 ? tone : "none"}>
            <span className={classes.cardName}>
              <Icon size={14} stroke={1.8} /> {name}
            </span>
            <span className={classes.cardCount}>{formatInteger(count)}</span>
          </TextLink>
        );
      })}
    </div>
  );
}
