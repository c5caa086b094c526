// Keys that are typed between the shortcut that opens a text field and the field itself, whose code may still load.

const HOLD_MS = 3000;
let held: string | undefined;
let heldUntil = 0;

/** Keeps the keys that follow for the field that opens. */
export function holdKeys(): void {
  held = "";
  heldUntil = performance.now() + HOLD_MS;
}

/** Whether the key was kept. Esc, or a field that does not open, ends it. */
export function holdsKey({ key }: KeyboardEvent): boolean {
  if (held === undefined) return false;
  if (key === "Escape" || performance.now() > heldUntil) {
    held = undefined;
    return false;
  }
  if (key === "Backspace") held = held.slice(0, -1);
  else if (key.length === 1) held += key;
  return true;
}

/** The keys for the field that has opened; those that follow go to it. */
export function releaseKeys(): string {
  const keys = held ?? "";
  held = undefined;
  return keys;
}
