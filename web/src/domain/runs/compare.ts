// Compares two runs: facts, tools, files, and the first message that differs.

import { entryOf, type TranscriptMessage } from "../transcript/message-entry";
import type { Outline } from "../transcript/outline";
import { ancestorsOf, fromOtherRuns, type Lineage } from "./lineage";

export interface Pair<T> {
  name: string;
  a: T;
  b: T;
  differs: boolean;
}

/** The facts of both runs without those that neither has. */
export function compareFacts(a: [string, string][], b: [string, string][]): Pair<string>[] {
  const other = new Map(b);
  const rows = a.map(([name, value]) => {
    const right = other.get(name) ?? "";
    return { name, a: value, b: right, differs: value !== right };
  });
  return rows.filter((row) => row.a !== "" || row.b !== "");
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

interface ChangedFile {
  path: string;
  added: number;
  removed: number;
  is_partial: boolean;
}

/** The changed files of both runs with their sums; undefined for a run that did not change the file. */
export function compareChanges(a: readonly ChangedFile[], b: readonly ChangedFile[]): Pair<ChangedFile | undefined>[] {
  const [left, right] = [new Map(a.map((file) => [file.path, file])), new Map(b.map((file) => [file.path, file]))];
  const rows = [...new Set([...left.keys(), ...right.keys()])].sort().map((name) => {
    const [x, y] = [left.get(name), right.get(name)];
    return { name, a: x, b: y, differs: x?.added !== y?.added || x?.removed !== y?.removed };
  });
  return rows.sort((x, y) => Number(y.differs) - Number(x.differs));
}

/** Messages `from` up to `end` of a run or of one branch. */
export interface MessageRange {
  of: "session" | "branch";
  id: string;
  from: number;
  end: number;
}

/** How many messages two runs share because one was forked from the other or both from a third, and those after them. */
export function afterShared(a: Lineage, b: Lineage): { shared: number; a: MessageRange[]; b: MessageRange[] } {
  let [left, right] = [messageRanges(a, b), messageRanges(b, a)];
  let shared = 0;
  for (;;) {
    const [x, y] = [left[0], right[0]];
    const end = Math.min(x?.end ?? 0, y?.end ?? 0);
    if (!x || !y || x.of !== y.of || x.id !== y.id || end === Number.POSITIVE_INFINITY)
      return { shared, a: left, b: right };
    shared += end;
    [left, right] = [skip(left, x, end), skip(right, y, end)];
    if (x.end !== y.end) return { shared, a: left, b: right };
  }
}

function skip(ranges: MessageRange[], first: MessageRange, end: number): MessageRange[] {
  return first.end === end ? ranges.slice(1) : [{ ...first, from: end }, ...ranges.slice(1)];
}

/** The messages of a run with the inherited ones; its own are those of the branch that the other run was forked from. */
function messageRanges(run: Lineage, other: Lineage): MessageRange[] {
  const parent = fromOtherRuns(ancestorsOf(other), other.session.id).find(
    ({ session_id }) => session_id === run.session.id,
  );
  const inherited = fromOtherRuns(ancestorsOf(run), run.session.id).map(
    ({ branch_id, last_ord }): MessageRange => ({ of: "branch", id: branch_id, from: 0, end: last_ord + 1 }),
  );
  const own = parent
    ? ({ of: "branch", id: parent.branch_id } as const)
    : ({ of: "session", id: run.session.id } as const);
  return [...inherited, { ...own, from: 0, end: Number.POSITIVE_INFINITY }];
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
