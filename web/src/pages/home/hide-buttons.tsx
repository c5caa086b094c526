// Snooze and dismiss, or list again.
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconArrowBackUp, IconClockPause, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { type AttentionItem, dismissItem, restoreItem, snoozeItem } from "@/api/home";
import { keys } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { runAction } from "@/ui/feedback/run-action";
import { withRetry } from "@/ui/routing/retry";
import classes from "./attention.module.css";

const SnoozeMenu = lazy(withRetry(() => import("./snooze-menu")));
const ICON = { size: 20, variant: "subtle", color: "gray" } as const;

export function HideButtons({ items }: { items: readonly AttentionItem[] }) {
  const queries = useQueryClient();
  const [snoozing, setSnoozing] = useState(false);
  const isHidden = items.some((item) => item.dismissed || item.snoozed_until);
  const change = (each: (id: string) => Promise<unknown>, done: string): Promise<boolean> =>
    runAction(async () => {
      // One after the other: each is a write.
      for (const { id } of items) await each(id);
      await queries.invalidateQueries({ queryKey: keys.attention() });
      return items.length > 1 ? `${plural(items.length, "item")}: ${done.toLowerCase()}` : done;
    });
  const snooze = (seconds: number, until: string) => void change((id) => snoozeItem(id, seconds), `Snoozed ${until}`);
  if (isHidden) {
    return (
      <span className={classes.hideButtons}>
        <Tooltip label="List again">
          <ActionIcon {...ICON} aria-label="List again" onClick={() => void change(restoreItem, "Listed again")}>
            <IconArrowBackUp size={14} stroke={1.8} />
          </ActionIcon>
        </Tooltip>
      </span>
    );
  }
  const snoozeButton = (
    <ActionIcon {...ICON} aria-label="Snooze" disabled={items.length === 0} onClick={() => setSnoozing(true)}>
      <IconClockPause size={14} stroke={1.8} />
    </ActionIcon>
  );
  const label =
    items.length > 1 ? `Dismiss all ${items.length} until their status changes` : "Dismiss until its status changes";
  return (
    <span className={classes.hideButtons}>
      {snoozing ? (
        <Suspense fallback={snoozeButton}>
          <SnoozeMenu target={snoozeButton} snooze={snooze} />
        </Suspense>
      ) : (
        snoozeButton
      )}
      <Tooltip label={label}>
        <ActionIcon
          {...ICON}
          aria-label={label}
          disabled={items.length === 0}
          onClick={() => void change(dismissItem, "Dismissed until the status changes")}
        >
          <IconX size={14} stroke={1.8} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
