// What was chosen in the palette last, newest first; the palette offers it before anything is typed.
import type { FoundName } from "@/api/search";

const KEY = "lion-recent-names";
const MOST = 6;

export function readRecent(): FoundName[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isName).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function addRecent(chosen: FoundName): void {
  const others = readRecent().filter(({ kind, id, topic }) => keyOf(chosen) !== keyOf({ kind, id, topic }));
  // The state of then would be wrong later.
  localStorage.setItem(KEY, JSON.stringify([{ ...chosen, state: null }, ...others].slice(0, MOST)));
}

export const keyOf = ({ kind, id, topic }: Pick<FoundName, "kind" | "id" | "topic">): string =>
  `${kind} ${topic ?? ""} ${id}`;

function isName(value: unknown): value is FoundName {
  if (typeof value !== "object" || value === null) return false;
  const { kind, id, name } = value as Partial<FoundName>;
  return [kind, id, name].every((text) => typeof text === "string");
}
