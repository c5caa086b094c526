// Two runs beside each other: which facts differ, which tools and files, and where what was said parts.

import { entryOf, type Said } from "../transcript/message-entry";
import type { Outline } from "../transcript/outline";

export interface Pair<T> {
  name: string;
  a: T;
  b: T;
  differs: boolean;
}

export function pairs(a: [string, string][], b: [string, string][]): Pair<string>[] {
  const other = new Map(b);
  return a.map(([name, value]) => {
    const theirs = other.get(name) ?? "";
    return { name, a: value, b: theirs, differs: value !== theirs };
  });
}

interface Count {
  calls: number;
  errors: number;
}

/** Every tool of either run, those called most first. */
export function tools(a: Outline, b: Outline): Pair<Count>[] {
  const none = { calls: 0, errors: 0 };
  const [mine, theirs] = [new Map(Object.entries(a.tools)), new Map(Object.entries(b.tools))];
  const names = new Set([...mine.keys(), ...theirs.keys()]);
  const found = [...names].map((name) => {
    const [x, y] = [mine.get(name) ?? none, theirs.get(name) ?? none];
    return { name, a: x, b: y, differs: x.calls !== y.calls || x.errors !== y.errors };
  });
  return found.sort((x, y) => y.a.calls + y.b.calls - x.a.calls - x.b.calls);
}

/** The files of either run: those of one alone first, because they are the news. */
export function files(a: Outline, b: Outline): Pair<boolean>[] {
  const [mine, theirs] = [new Set(a.files.map(({ path }) => path)), new Set(b.files.map(({ path }) => path))];
  const all = [...new Set([...mine, ...theirs])].sort();
  const found = all.map((name) => {
    const [x, y] = [mine.has(name), theirs.has(name)];
    return { name, a: x, b: y, differs: x !== y };
  });
  return found.sort((x, y) => Number(y.differs) - Number(x.differs));
}

/** How many messages are the same from the beginning on; undefined when nothing differs as far as is known. */
export function parting(a: readonly Said[], b: readonly Said[]): number | undefined {
  const both = Math.min(a.length, b.length);
  for (let index = 0; index < both; index++) {
    const [x, y] = [a[index], b[index]];
    if (x && y && gist(x) !== gist(y)) return index;
  }
  return a.length === b.length ? undefined : both;
}

/** What a message says, without what is never the same twice. */
function gist(message: Said): string {
  const entry = entryOf(message);
  switch (entry.kind) {
    case "words":
      return `${entry.speaker} ${entry.words.length} ${entry.words.text} ${entry.thinking?.text ?? ""}`;
    case "call":
      return `call ${entry.tool} ${entry.words.text}`;
    case "result":
      return `result ${entry.failed} ${entry.words.length} ${entry.words.text}`;
    case "gone":
      return "gone";
  }
}
