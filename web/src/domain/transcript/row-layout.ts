// Lays out messages in rows: a call contains its result, a streak of failures becomes one row, and so do calls in a row.
// Nested messages have no row of their own. Rows keep the numbers of their messages, so nothing moves when more load.
import { chunkIndex } from "./chunks";
import { entryOf, type TranscriptMessage } from "./message-entry";
import { type ToolHead, type ToolKind, toolHead } from "./tool-heads";

/** Calls in a row that are shown as one line. Those that failed or changed files keep their rows and end it. */
export interface CallFold {
  /** The row of the line. */
  row: number;
  kinds: ToolKind[];
  thoughts: number;
  open: boolean;
}

export type RowLayout =
  | { kind: "plain" }
  | { kind: "call"; result: number | undefined; fold?: CallFold }
  /** Shown inside another row, or hidden in a fold. */
  | { kind: "nested"; row: number; folded?: true }
  /** The first call of a failure streak; the head has no text if the calls differ; `result` is that of the last one. */
  | { kind: "failures"; head: ToolHead; calls: number[]; result: number | undefined };

// One object for all rows, so that memoised rows do not render again.
const PLAIN: RowLayout = { kind: "plain" };
// Two failures are quick to read; a third adds no information.
const MIN_STREAK = 3;
const MIN_FOLD = 3;

type Messages = ReadonlyMap<number, TranscriptMessage>;
type Layouts = Map<number, RowLayout>;

interface LayoutOptions {
  /** The streaks that the user opened, by their rows, and the folds, by `foldKey`. */
  expanded: ReadonlySet<number>;
  /** Whether calls in a row become one line. */
  folds?: boolean;
  /** The run goes on: the last call of each branch stays in view. */
  live?: boolean;
}

/** A row can be expanded and be the first one of a fold: the fold has a number of its own. */
export const foldKey = (row: number): number => -1 - row;

/** The layout of each message, given in order. */
export function layoutRows(messages: Messages, { expanded, folds = false, live = false }: LayoutOptions): Layouts {
  const layouts: Layouts = new Map();
  const callRows = new Map<string, number>();
  for (const [ord, message] of messages) {
    const entry = entryOf(message);
    layouts.set(ord, entry.kind === "call" ? { kind: "call", result: undefined } : PLAIN);
    if (entry.kind === "call") callRows.set(message.id, ord);
    const at = entry.kind === "result" && entry.requestId ? callRows.get(entry.requestId) : undefined;
    const call = at === undefined ? undefined : layouts.get(at);
    if (at === undefined || call?.kind !== "call" || call.result !== undefined) continue;
    call.result = ord;
    layouts.set(ord, { kind: "nested", row: at });
  }
  for (const group of callGroups(messages, layouts)) {
    for (const calls of failureStreaks(group.calls, messages, layouts))
      if (!expanded.has(calls[0] ?? -1)) collapseStreak(calls, messages, layouts);
    if (!folds) continue;
    const calls = live && group.isLast ? group.calls.slice(0, -1) : group.calls;
    for (const stretch of quietStretches(calls, messages, layouts))
      foldCalls({ ...group, calls: stretch }, messages, layouts, expanded);
  }
  return layouts;
}

/** The row that shows a message. */
export function visibleRow(layouts: ReadonlyMap<number, RowLayout>, row: number): number {
  let layout = layouts.get(row);
  for (; layout?.kind === "nested"; layout = layouts.get(row)) row = layout.row;
  return row;
}

/** The fold that hides a message, if any. */
export function hidingFold(layouts: ReadonlyMap<number, RowLayout>, row: number): number | undefined {
  const layout = layouts.get(row);
  if (layout?.kind === "call" && layout.fold && !layout.fold.open) return row;
  if (layout?.kind !== "nested") return undefined;
  return layout.folded ? layout.row : hidingFold(layouts, layout.row);
}

interface CallGroup {
  calls: number[];
  /** The thoughts between the calls, and after the last one. */
  thoughts: number[];
  /** Nothing follows on its branch. */
  isLast: boolean;
}

/** Calls of a branch with nothing but thoughts between them. A group ends with its chunk: others load without a change. */
function callGroups(messages: Messages, layouts: Layouts): CallGroup[] {
  const groups: CallGroup[] = [];
  const open = new Map<string, CallGroup & { chunk: number }>();
  for (const [row, message] of messages) {
    if (layouts.get(row)?.kind === "nested") continue;
    const branch = message.branch_id ?? "";
    const entry = entryOf(message);
    const group = open.get(branch);
    const chunk = chunkIndex(message.ord);
    if (entry.kind === "call" && group?.chunk === chunk) group.calls.push(row);
    else if (entry.kind === "call") {
      if (group) group.isLast = false;
      const started = { calls: [row], thoughts: [], isLast: true, chunk };
      open.set(branch, started);
      groups.push(started);
    } else if (entry.kind === "text" && entry.thinking && entry.body.text === "") {
      if (group?.chunk === chunk) group.thoughts.push(row);
    } else if (group) {
      group.isLast = false;
      open.delete(branch);
    }
  }
  return groups;
}

/** Consecutive failed calls of one tool. */
function failureStreaks(calls: number[], messages: Messages, layouts: Layouts): number[][] {
  const streaks: number[][] = [];
  let tool: string | undefined;
  for (const call of calls) {
    const failed = failedTool(call, messages, layouts);
    if (failed !== undefined && failed === tool) streaks.at(-1)?.push(call);
    else if (failed !== undefined) streaks.push([call]);
    tool = failed;
  }
  return streaks.filter(({ length }) => length >= MIN_STREAK);
}

function failedTool(call: number, messages: Messages, layouts: Layouts): string | undefined {
  const entry = entryAt(messages, call);
  const result = resultEntry(call, messages, layouts);
  return entry?.kind === "call" && result?.failed ? entry.tool : undefined;
}

function entryAt(messages: Messages, row: number | undefined) {
  const message = row === undefined ? undefined : messages.get(row);
  return message && entryOf(message);
}

function headAt(messages: Messages, row: number): ToolHead {
  const entry = entryAt(messages, row);
  return entry?.kind === "call" ? toolHead(entry.tool, entry.args, entry.title) : toolHead("", undefined);
}

function resultEntry(call: number, messages: Messages, layouts: Layouts) {
  const layout = layouts.get(call);
  const entry = layout?.kind === "call" ? entryAt(messages, layout.result) : undefined;
  return entry?.kind === "result" ? entry : undefined;
}

function collapseStreak(calls: number[], messages: Messages, layouts: Layouts): void {
  const [first] = calls;
  const last = layouts.get(calls.at(-1) ?? -1);
  const [head, ...others] = calls.map((call) => headAt(messages, call));
  if (first === undefined || head === undefined) return;
  const isSame = others.every(({ text }) => text === head.text);
  const result = last?.kind === "call" ? last.result : undefined;
  for (const ord of calls) {
    const layout = layouts.get(ord);
    if (layout?.kind === "call" && layout.result !== undefined)
      layouts.set(layout.result, { kind: "nested", row: first });
    if (ord !== first) layouts.set(ord, { kind: "nested", row: first });
  }
  layouts.set(first, { kind: "failures", head: isSame ? head : { ...head, text: "" }, calls, result });
}

/** Consecutive calls that succeeded and changed no file. */
function quietStretches(calls: number[], messages: Messages, layouts: Layouts): number[][] {
  const stretches: number[][] = [[]];
  for (const call of calls) {
    const isQuiet = resultEntry(call, messages, layouts)?.failed === false && headAt(messages, call).kind !== "edit";
    if (isQuiet) stretches.at(-1)?.push(call);
    else stretches.push([]);
  }
  return stretches.filter(({ length }) => length >= MIN_FOLD);
}

/** Hides calls, and the thoughts between them, behind a line. */
function foldCalls(
  { calls, thoughts }: CallGroup,
  messages: Messages,
  layouts: Layouts,
  expanded: ReadonlySet<number>,
): void {
  const [row, ...others] = calls;
  const layout = row === undefined ? undefined : layouts.get(row);
  if (row === undefined || layout?.kind !== "call") return;
  const kinds = calls.map((call) => headAt(messages, call).kind);
  const between = thoughts.filter((thought) => thought > row && thought < (calls.at(-1) ?? row));
  const open = expanded.has(foldKey(row));
  layout.fold = { row, kinds, thoughts: between.length, open };
  if (open) return;
  for (const hidden of [...others, ...between]) layouts.set(hidden, { kind: "nested", row, folded: true });
}
