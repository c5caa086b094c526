// Keyboard shortcuts: one listener for the page, and shortcuts that are active while the component that declares them is
// mounted. Supports sequences such as "g r". Never takes a key from a text field.
import { type RefObject, useEffect } from "react";
import { createStore } from "@/api/store";
import { useLatest } from "../use-latest";
import { holdsKey } from "./held-keys";

export interface Shortcut {
  /** One key ("j", "Enter", "?"), or a sequence ("g r"). */
  keys: string;
  label: string;
  run: (event: KeyboardEvent) => void;
  /** Heading in the shortcut sheet. */
  group?: string;
}

const SEQUENCE_MS = 1000;
/** Declarations of the mounted components, newest last; the newest wins. */
export const declarations = createStore<readonly RefObject<readonly Shortcut[]>[]>([]);
let pressed: string[] = [];
let pressedAt = 0;

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useLatest(shortcuts);
  useEffect(() => {
    declarations.set([...declarations.get(), latest]);
    return () => declarations.set(declarations.get().filter((declared) => declared !== latest));
  }, [latest]);
}

const MODAL = '[aria-modal="true"], [role="dialog"], [role="menu"]';

/** Listen for shortcuts; called once, at the start. */
export function startShortcuts(target: Document): void {
  let isModalOpen = false;
  // Checked in the capture phase: a dialog that Esc closes may be gone when the key arrives below.
  target.defaultView?.addEventListener("keydown", () => (isModalOpen = target.querySelector(MODAL) !== null), true);
  target.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event)) return;
    if (holdsKey(event)) {
      event.preventDefault();
      return;
    }
    if (isModalOpen) return;
    const now = performance.now();
    pressed = now - pressedAt < SEQUENCE_MS ? [...pressed, event.key].slice(-2) : [event.key];
    pressedAt = now;
    const shortcut = findShortcut(pressed.join(" ")) ?? findShortcut(event.key);
    if (!shortcut) return;
    // Links and buttons handle Enter themselves.
    if (event.key === "Enter" && (event.target as Element).closest("a, button, summary, [role=menuitem]")) return;
    pressed = [];
    event.preventDefault();
    shortcut.run(event);
  });
}

/** Does what the keys would do, if a mounted component declares them. */
export function runShortcut(keys: string): void {
  findShortcut(keys)?.run(new KeyboardEvent("keydown", { key: keys }));
}

function findShortcut(keys: string): Shortcut | undefined {
  const declared = declarations.get().flatMap(({ current }) => current);
  return declared.findLast((shortcut) => shortcut.keys === keys);
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
