// Compares two runs: facts, tools, files, and the first message that differs.

import { entryOf, type TranscriptMessage } from "../transcript/message-entry";
import type { Outline } from "../transcript/outline";

export interface Pair<T> {
  name: string;
  a: T;
  b: T;
  differs: boolean;
}

export function compareFacts(a: [string, string][], b: [string, string][]): Pair<string>[] {
  const other = new Map(b);
  return a.map(([name, value]) => {
    const right = other.get(name) ?? "";
    return { name, a: value, b: right, differs: value !== right };
  });
}

interface Count {
  calls: number;
  errors: number;
}

/** The tools of both runs, the most used first. */
export function compareTools(a: Outline, b: Outline): Pair<Count>[] {
  const none = { calls: 0, errors: 0 };
  const [left, right] = [new Map(Object.entries(a.tools)), new Map(Object.entries(b.tools))];
  const names = new Set([...left.keys(), ...right.keys()]);
  const rows = [...names].map((name) => {
    const [x, y] = [left.get(name) ?? none, right.get(name) ?? none];
    return { name, a: x, b: y, differs: x.calls !== y.calls || x.errors !== y.errors };
  });
  return rows.sort((x, y) => y.a.calls + y.b.calls - x.a.calls - x.b.calls);
}

/** The files of both runs; those of only one run come first. */
export function compareFiles(a: Outline, b: Outline): Pair<boolean>[] {
  const [left, right] = [new Set(a.files.map(({ path }) => path)), new Set(b.files.map(({ path }) => path))];
  const all = [...new Set([...left, ...right])].sort();
  const rows = all.map((name) => {
    const [x, y] = [left.has(name), right.has(name)];
    return { name, a: x, b: y, differs: x !== y };
  });
  return rows.sort((x, y) => Number(y.differs) - Number(x.differs));
}

/** The index of the first message that differs; undefined if all are the same. */
export function firstDifference(a: readonly TranscriptMessage[], b: readonly TranscriptMessage[]): number | undefined {
  const sharedLength = Math.min(a.length, b.length);
  for (let index = 0; index < sharedLength; index++) {
    const [x, y] = [a[index], b[index]];
    if (x && y && contentSignature(x) !== contentSignature(y)) return index;
  }
  return a.length === b.length ? undefined : sharedLength;
}

/** The content of a message without ids and times. */
function contentSignature(message: TranscriptMessage): string {
  const entry = entryOf(message);
  switch (entry.kind) {
    case "text":
      return `${entry.speaker} ${entry.body.length} ${entry.body.text} ${entry.thinking?.text ?? ""}`;
    case "call":
      return `call ${entry.tool} ${entry.body.text}`;
    case "result":
      return `result ${entry.failed} ${entry.body.length} ${entry.body.text}`;
    case "missing":
      return "missing";
  }
}
