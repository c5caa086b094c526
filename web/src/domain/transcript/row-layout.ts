// Which rows the messages make: a call takes its result in, failures of one tool in a row become one line, and what
// was taken in has no row of its own. Rows are numbered as messages are, so nothing moves when more is loaded.
import { entryOf, type Said } from "./message-entry";

export type Shape =
  | { kind: "plain" }
  | { kind: "call"; result: number | undefined }
  /** Shown inside the row at `at`. */
  | { kind: "within"; at: number }
  /** The first of several failures; `calls` are the ords of all calls, the last one's result is shown. */
  | { kind: "failures"; tool: string; calls: number[]; result: number | undefined };

// One for all, so that a row whose message is the same is seen to be the same.
const PLAIN: Shape = { kind: "plain" };
// Two failures are read quickly; a third one says the same again.
const ENOUGH = 3;

/** The shape of each of these messages (in order of ord); `unfolded` are the first ords of rows that were opened. */
export function shapesOf(
  messages: ReadonlyMap<number, Said>,
  unfolded: ReadonlySet<number>,
): Map<number, Shape> {
  const shapes = new Map<number, Shape>();
  const calls = new Map<string, number>();
  for (const [ord, message] of messages) {
    const entry = entryOf(message);
    shapes.set(ord, entry.kind === "call" ? { kind: "call", result: undefined } : PLAIN);
    if (entry.kind === "call") calls.set(message.id, ord);
    const at = entry.kind === "result" && entry.requestId ? calls.get(entry.requestId) : undefined;
    const call = at === undefined ? undefined : shapes.get(at);
    if (at === undefined || call?.kind !== "call" || call.result !== undefined) continue;
    call.result = ord;
    shapes.set(ord, { kind: "within", at });
  }
  for (const run of failureRuns(messages, shapes))
    if (!unfolded.has(run[0] ?? -1)) fold(run, messages, shapes);
  return shapes;
}

/** Calls of one tool on one branch that failed right after each other. */
function failureRuns(messages: ReadonlyMap<number, Said>, shapes: Map<number, Shape>): number[][] {
  const runs: number[][] = [];
  const open = new Map<string, { tool: string; calls: number[] }>();
  for (const [ord, message] of messages) {
    const shape = shapes.get(ord);
    if (shape?.kind === "within") continue;
    const branch = message.branch_id ?? "";
    const entry = entryOf(message);
    const answer =
      shape?.kind === "call" && shape.result !== undefined ? messages.get(shape.result) : undefined;
    const result = answer && entryOf(answer);
    const tool = entry.kind === "call" && result?.kind === "result" && result.failed ? entry.tool : undefined;
    const run = open.get(branch);
    if (tool !== undefined && run?.tool === tool) {
      run.calls.push(ord);
      continue;
    }
    if (run && run.calls.length >= ENOUGH) runs.push(run.calls);
    if (tool === undefined) open.delete(branch);
    else open.set(branch, { tool, calls: [ord] });
  }
  for (const { calls } of open.values()) if (calls.length >= ENOUGH) runs.push(calls);
  return runs;
}

function fold(calls: number[], messages: ReadonlyMap<number, Said>, shapes: Map<number, Shape>): void {
  const [first] = calls;
  const last = shapes.get(calls.at(-1) ?? -1);
  const entry = first === undefined ? undefined : messages.get(first);
  const said = entry && entryOf(entry);
  if (first === undefined || said?.kind !== "call") return;
  const result = last?.kind === "call" ? last.result : undefined;
  for (const ord of calls) {
    const shape = shapes.get(ord);
    if (shape?.kind === "call" && shape.result !== undefined)
      shapes.set(shape.result, { kind: "within", at: first });
    if (ord !== first) shapes.set(ord, { kind: "within", at: first });
  }
  shapes.set(first, { kind: "failures", tool: said.tool, calls, result });
}
