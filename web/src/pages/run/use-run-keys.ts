// Keyboard shortcuts of the run page.
import { useNavigate, useRouter } from "@tanstack/react-router";
import type { RefObject } from "react";
import { adjacentOrd } from "@/domain/transcript/chunks";
import type { Outline } from "@/domain/transcript/outline";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import type { ScrollerHandle } from "./transcript/message-scroller";
import type { Cursor } from "./use-cursor";

interface RunKeys {
  cursor: Cursor;
  outline: Outline | undefined;
  list: RefObject<ScrollerHandle | null>;
}

export function useRunKeys({ cursor, outline, list }: RunKeys): void {
  const navigate = useNavigate();
  const { history } = useRouter();
  // Back keeps the filters of the list; a page opened from a link has no history and goes to the list.
  const leave = (): void => (history.canGoBack() ? history.back() : void navigate({ to: "/runs" }));
  const currentOrd = (): number => cursor.ord ?? (list.current?.first() ?? 0) - 1;
  const goToAdjacent = (ords: readonly number[], step: 1 | -1): void => {
    const ord = adjacentOrd(ords, currentOrd(), step);
    if (ord !== undefined) cursor.goTo(ord);
  };
  const errors = outline?.errors.map(({ ord }) => ord) ?? [];
  const users = outline?.users ?? [];
  const last = outline?.last_ord ?? 0;
  const group = "This run";
  useShortcuts([
    { keys: "n", label: "Next error", group, run: () => goToAdjacent(errors, 1) },
    { keys: "p", label: "Previous error", group, run: () => goToAdjacent(errors, -1) },
    { keys: "u", label: "Next user message", group, run: () => goToAdjacent(users, 1) },
    { keys: "U", label: "Previous user message", group, run: () => goToAdjacent(users, -1) },
    { keys: "j", label: "Next message", group, run: () => cursor.goTo(Math.min(last, currentOrd() + 1)) },
    { keys: "k", label: "Previous message", group, run: () => cursor.goTo(Math.max(0, currentOrd() - 1)) },
    { keys: "g g", label: "First message", group, run: () => cursor.goTo(0) },
    { keys: "G", label: "Go to the end and follow", group, run: () => list.current?.follow() },
    { keys: "Escape", label: "Back", group, run: leave },
  ]);
}
