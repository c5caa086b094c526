// The keyboard: one listener for the page, bindings that come and go with the components that know them, and
// sequences such as "g r". Keys are never taken from somebody who types.
import { useEffect, useRef } from "react";
import { createStore } from "@/api/store";

export interface Shortcut {
  /** One key ("j", "Enter", "?"), or several after each other ("g r"). */
  keys: string;
  label: string;
  run: (event: KeyboardEvent) => void;
  /** Under which heading the sheet shows it. */
  group?: string;
}

const SEQUENCE_MS = 1000;
/** What is bound right now; the newest comes last and wins. */
export const shortcuts = createStore<readonly Shortcut[]>([]);
let pressed: string[] = [];
let pressedAt = 0;

/** Bind keys for as long as the component is on the page. */
export function useShortcuts(requested: readonly Shortcut[]): void {
  const newest = useRef(requested);
  newest.current = requested;
  const shape = requested.map((shortcut) => `${shortcut.keys}\t${shortcut.label}`).join("\n");
  // Bound anew only when other keys are meant.
  useEffect(() => {
    const mine = newest.current.map((shortcut, index) => ({
      ...shortcut,
      run: (event: KeyboardEvent) => newest.current[index]?.run(event),
    }));
    shortcuts.set([...shortcuts.get(), ...mine]);
    return () => shortcuts.set(shortcuts.get().filter((shortcut) => !mine.includes(shortcut)));
  }, [shape]);
}

const MODAL = '[aria-modal="true"], [role="dialog"], [role="menu"]';

/** Listen; called once, at the start. */
export function startShortcuts(target: Document): void {
  let isModalOpen = false;
  // Asked before anybody hears the key: a dialog that Esc closes may be gone when the key arrives below.
  target.defaultView?.addEventListener(
    "keydown",
    () => (isModalOpen = target.querySelector(MODAL) !== null),
    true,
  );
  target.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isModalOpen || isTyping(event)) return;
    const now = performance.now();
    pressed = now - pressedAt < SEQUENCE_MS ? [...pressed, event.key].slice(-2) : [event.key];
    pressedAt = now;
    const shortcut = findShortcut(pressed.join(" ")) ?? findShortcut(event.key);
    if (!shortcut) return;
    // A link or a button answers to Enter by itself.
    if (event.key === "Enter" && (event.target as Element).closest("a, button, summary, [role=menuitem]"))
      return;
    pressed = [];
    event.preventDefault();
    shortcut.run(event);
  });
}

function findShortcut(keys: string): Shortcut | undefined {
  return shortcuts.get().findLast((shortcut) => shortcut.keys === keys);
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
