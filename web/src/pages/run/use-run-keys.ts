// Keyboard shortcuts of the run page.
import { notifications } from "@mantine/notifications";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { type RefObject, useRef } from "react";
import { exportSession } from "@/api/runs";
import { adjacentOrd } from "@/domain/transcript/chunks";
import { errorOrd, type Outline } from "@/domain/transcript/outline";
import { branchAt, isWhole } from "@/domain/transcript/reading";
import { runAction } from "@/ui/feedback/run-action";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { subAgents } from "./branch-names";
import { copyMessageLink } from "./message-link";
import type { Detail } from "./transcript/segments";
import type { TranscriptHandle } from "./transcript/use-transcript-handle";
import type { Cursor } from "./use-cursor";
import type { ReadingControl } from "./use-reading";

interface RunKeys {
  detail: Detail;
  cursor: Cursor;
  reading: ReadingControl;
  outline: Outline | undefined;
  list: RefObject<TranscriptHandle | null>;
}

const LEAVE_MS = 3000;

export function useRunKeys({ detail, cursor, reading, outline, list }: RunKeys): void {
  const leave = useLeave();
  const firstOrd = (): number => Math.max(0, list.current?.first() ?? 0);
  const currentOrd = (): number => cursor.ord ?? firstOrd() - 1;
  const goToAdjacent = (ords: readonly number[], step: 1 | -1): void => {
    const ord = adjacentOrd(ords, currentOrd(), step);
    if (ord !== undefined) cursor.goTo(ord);
  };
  const goToRow = (step: 1 | -1): void => {
    const ord = cursor.ord === undefined ? firstOrd() : list.current?.adjacent(cursor.ord, step);
    if (ord !== undefined) cursor.goTo(ord, "step");
  };
  const errors = outline?.errors.map(errorOrd) ?? [];
  const tasks = subAgents(detail.branches);
  const users = outline?.users.filter((ord) => !tasks.has(branchAt(outline.lanes, ord) ?? "")) ?? [];
  const deselect = (): void => {
    if (cursor.ord !== undefined) cursor.clear();
    else if (!isWhole(reading)) reading.clear();
    else leave();
  };
  const group = "This run";
  useShortcuts([
    { keys: "n", label: "Next error", group, run: () => goToAdjacent(errors, 1) },
    { keys: "p", label: "Previous error", group, run: () => goToAdjacent(errors, -1) },
    { keys: "u", label: "Next user message", group, run: () => goToAdjacent(users, 1) },
    { keys: "U", label: "Previous user message", group, run: () => goToAdjacent(users, -1) },
    { keys: "j", label: "Next message", group, run: () => goToRow(1) },
    { keys: "k", label: "Previous message", group, run: () => goToRow(-1) },
    { keys: "g g", label: "First message", group, run: () => cursor.goTo(0) },
    { keys: "G", label: "Go to the end and follow", group, run: () => list.current?.follow() },
    { keys: "m", label: "Messages only, or all", group, run: () => reading.toggle("messages") },
    {
      keys: "y",
      label: "Copy link to the message",
      group,
      run: () => void copyMessageLink(detail.session.id, cursor.ord ?? firstOrd()),
    },
    {
      keys: "e",
      label: "Export as HTML",
      group,
      run: () => void runAction(() => exportSession(detail.session.id, "html")),
    },
    { keys: "Escape", label: "Deselect; twice: back to the list", group, run: deselect },
  ]);
}

/** Leaves the page only if asked twice: Esc also closes dialogs and fields, and is often pressed once too often. */
function useLeave(): () => void {
  const navigate = useNavigate();
  const { history } = useRouter();
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  return () => {
    const now = performance.now();
    if (now - askedAt.current < LEAVE_MS) {
      // Back keeps the filters of the list; a page opened from a link has no history and goes to the list.
      if (history.canGoBack()) history.back();
      else void navigate({ to: "/runs" });
      return;
    }
    askedAt.current = now;
    notifications.show({ message: "Press Esc again to leave this run", withBorder: true, autoClose: LEAVE_MS });
  };
}
