// Keyboard navigation in a list: j, k, Enter, Esc.
import { useState } from "react";
import { useShortcuts } from "./shortcuts";

interface ListKeys {
  count: number;
  open: (index: number) => void;
  /** Scrolls a row into view. */
  reveal?: (index: number) => void;
  leave?: () => void;
  /** Toggles the selection of a row, if rows can be selected. */
  select?: (index: number) => void;
}

/** The row under the cursor (-1: none), and a setter. */
export function useListKeys({
  count,
  open,
  reveal: show,
  leave,
  select: choose,
}: ListKeys): [number, (index: number) => void] {
  const [at, setAt] = useState(-1);
  const current = Math.min(at, count - 1);
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(count - 1, index));
    if (count === 0) return;
    setAt(next);
    show?.(next);
  };
  const group = "This list";
  useShortcuts([
    { keys: "j", label: "Next row", group, run: () => moveTo(current + 1) },
    { keys: "k", label: "Previous row", group, run: () => moveTo(current - 1) },
    { keys: "ArrowDown", label: "Next row", group, run: () => moveTo(current + 1) },
    { keys: "ArrowUp", label: "Previous row", group, run: () => moveTo(current - 1) },
    { keys: "g g", label: "First row", group, run: () => moveTo(0) },
    { keys: "G", label: "Last row", group, run: () => moveTo(count - 1) },
    { keys: "Enter", label: "Open", group, run: () => current >= 0 && open(current) },
    ...(choose ? [{ keys: "x", label: "Select", group, run: () => current >= 0 && choose(current) }] : []),
    {
      keys: "Escape",
      label: "Back",
      group,
      run: () => {
        if (current >= 0) setAt(-1);
        else leave?.();
      },
    },
  ]);
  return [current, setAt];
}
