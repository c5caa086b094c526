// Counts that link to the lists behind them.
import { IconClock, IconClockPause, IconEye, IconLoader2, IconUsers, IconX } from "@tabler/icons-react";
import type { Schema } from "@/api/keys";
import { CARD_LABELS } from "@/api/runs";
import { formatInteger } from "@/domain/text/format";
import { TextLink } from "@/ui/link";
import classes from "./cards.module.css";

const CARDS = [
  { key: "running", icon: IconLoader2, tone: "info" },
  { key: "failed_24h", icon: IconX, tone: "danger" },
  { key: "slow", icon: IconClock, tone: "warning" },
  { key: "stale", icon: IconClockPause, tone: "warning" },
  { key: "needs_review", icon: IconEye, tone: "warning" },
  { key: "teams_active", icon: IconUsers, tone: "neutral" },
] as const;

export function Cards({ cards }: { cards: Schema<"Cards"> }) {
  return (
    <div className={classes.cards}>
      {CARDS.map(({ key, icon: Icon, tone }) => {
        const count = cards[key];
        const link =
          key === "teams_active" ? { to: "/teams" as const } : { to: "/runs" as const, search: { card: key } };
        const name = key === "teams_active" ? "Teams active" : CARD_LABELS[key];
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
