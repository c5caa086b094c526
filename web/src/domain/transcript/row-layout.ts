// Lays out messages in rows: a call contains its result, and a streak of failures becomes one row. Nested messages have
// no row of their own. Rows keep the numbers of their messages, so nothing moves when more messages load.
import { entryOf, type TranscriptMessage } from "./message-entry";

export type RowLayout =
  | { kind: "plain" }
  | { kind: "call"; result: number | undefined }
  /** Shown inside another row. */
  | { kind: "nested"; row: number }
  /** The first call of a failure streak; `calls` are all of its calls, `result` is that of the last one. */
  | { kind: "failures"; tool: string; calls: number[]; result: number | undefined };

// One object for all rows, so that memoised rows do not render again.
const PLAIN: RowLayout = { kind: "plain" };
// Two failures are quick to read; a third adds no information.
const MIN_STREAK = 3;

/** The layout of each message, given in order; `expanded` are the rows of streaks that the user opened. */
export function layoutRows(
  messages: ReadonlyMap<number, TranscriptMessage>,
  expanded: ReadonlySet<number>,
): Map<number, RowLayout> {
  const layouts = new Map<number, RowLayout>();
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
  for (const calls of failureStreaks(messages, layouts))
    if (!expanded.has(calls[0] ?? -1)) collapseStreak(calls, messages, layouts);
  return layouts;
}

/** Consecutive failed calls of one tool on one branch. */
function failureStreaks(messages: ReadonlyMap<number, TranscriptMessage>, layouts: Map<number, RowLayout>): number[][] {
  const streaks: number[][] = [];
  const open = new Map<string, { tool: string; calls: number[] }>();
  for (const [ord, message] of messages) {
    const layout = layouts.get(ord);
    if (layout?.kind === "nested") continue;
    const branch = message.branch_id ?? "";
    const entry = entryOf(message);
    const resultMessage =
      layout?.kind === "call" && layout.result !== undefined ? messages.get(layout.result) : undefined;
    const result = resultMessage && entryOf(resultMessage);
    const tool = entry.kind === "call" && result?.kind === "result" && result.failed ? entry.tool : undefined;
    const streak = open.get(branch);
    if (tool !== undefined && streak?.tool === tool) {
      streak.calls.push(ord);
      continue;
    }
    if (streak && streak.calls.length >= MIN_STREAK) streaks.push(streak.calls);
    if (tool === undefined) open.delete(branch);
    else open.set(branch, { tool, calls: [ord] });
  }
  for (const { calls } of open.values()) if (calls.length >= MIN_STREAK) streaks.push(calls);
  return streaks;
}

function collapseStreak(
  calls: number[],
  messages: ReadonlyMap<number, TranscriptMessage>,
  layouts: Map<number, RowLayout>,
): void {
  const [first] = calls;
  const last = layouts.get(calls.at(-1) ?? -1);
  const entry = first === undefined ? undefined : messages.get(first);
  const call = entry && entryOf(entry);
  if (first === undefined || call?.kind !== "call") return;
  const result = last?.kind === "call" ? last.result : undefined;
  for (const ord of calls) {
    const layout = layouts.get(ord);
    if (layout?.kind === "call" && layout.result !== undefined)
      layouts.set(layout.result, { kind: "nested", row: first });
    if (ord !== first) layouts.set(ord, { kind: "nested", row: first });
  }
  layouts.set(first, { kind: "failures", tool: call.tool, calls, result });
}
