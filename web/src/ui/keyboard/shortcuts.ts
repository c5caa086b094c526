// The keyboard: one listener for the page, bindings that come and go with the components that know them, and
// sequences such as "g r". Keys are never taken from somebody who types.
import { useEffect, useRef } from "react";
import { createStore } from "@/api/store";

export interface Binding {
  /** One key ("j", "Enter", "?"), or several after each other ("g r"). */
  keys: string;
  label: string;
  run: (event: KeyboardEvent) => void;
  /** Under which heading the sheet shows it. */
  group?: string;
}

const SEQUENCE_MS = 1000;
/** What is bound right now; the newest comes last and wins. */
export const bindings = createStore<readonly Binding[]>([]);
let pressed: string[] = [];
let pressedAt = 0;

/** Bind keys for as long as the component is on the page. */
export function useKeys(wanted: readonly Binding[]): void {
  const newest = useRef(wanted);
  newest.current = wanted;
  const shape = wanted.map((binding) => `${binding.keys}\t${binding.label}`).join("\n");
  // Bound anew only when other keys are meant.
  useEffect(() => {
    const mine = newest.current.map((binding, index) => ({
      ...binding,
      run: (event: KeyboardEvent) => newest.current[index]?.run(event),
    }));
    bindings.set([...bindings.get(), ...mine]);
    return () => bindings.set(bindings.get().filter((binding) => !mine.includes(binding)));
  }, [shape]);
}

const OPEN = '[aria-modal="true"], [role="dialog"], [role="menu"]';

/** Listen; called once, at the start. */
export function startKeys(target: Document): void {
  let open = false;
  // Asked before anybody hears the key: a dialog that Esc closes may be gone when the key arrives below.
  target.defaultView?.addEventListener("keydown", () => (open = target.querySelector(OPEN) !== null), true);
  target.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (open || isTyping(event)) return;
    const now = performance.now();
    pressed = now - pressedAt < SEQUENCE_MS ? [...pressed, event.key].slice(-2) : [event.key];
    pressedAt = now;
    const found = find(pressed.join(" ")) ?? find(event.key);
    if (!found) return;
    // A link or a button answers to Enter by itself.
    if (event.key === "Enter" && (event.target as Element).closest("a, button, summary, [role=menuitem]"))
      return;
    pressed = [];
    event.preventDefault();
    found.run(event);
  });
}

function find(keys: string): Binding | undefined {
  return bindings.get().findLast((binding) => binding.keys === keys);
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
