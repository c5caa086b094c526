import { expect, test } from "vitest";
import type { TranscriptMessage } from "./message-entry";
import { foldKey, hidingFold, layoutRows, visibleRow } from "./row-layout";

/** Messages with these contents; the id of each is its number. */
function run(...contents: Record<string, unknown>[]): Map<number, TranscriptMessage> {
  return new Map(
    contents.map((content, ord) => [
      ord,
      { ord, id: `${ord}`, branch_id: "b", missing: false, created_at: ord, size: 0, cut: null, content },
    ]),
  );
}

const CLOSED = { expanded: new Set<number>() };
const call = (tool = "Bash") => ({ function: tool, arguments: {} });
const ok = (id: number) => ({ output: "ok", action_request_id: `${id}` });
const bad = (id: number) => ({ error: "no", action_request_id: `${id}` });

test("layoutRows nests results in their calls, also for parallel calls", () => {
  const shapes = layoutRows(run(call(), call(), ok(0), ok(1)), CLOSED);
  expect(shapes.get(0)).toEqual({ kind: "call", result: 2 });
  expect(shapes.get(1)).toEqual({ kind: "call", result: 3 });
  expect(shapes.get(2)).toEqual({ kind: "nested", row: 0 });
});

test("layoutRows gives a result without its call, or a second result, its own row", () => {
  const shapes = layoutRows(run(ok(77), call(), ok(1), ok(1)), CLOSED);
  expect(shapes.get(0)).toEqual({ kind: "plain" });
  expect(shapes.get(3)).toEqual({ kind: "plain" });
});

test("layoutRows collapses three failures of a tool until they are expanded", () => {
  const messages = run(call(), bad(0), call(), bad(2), call(), bad(4), { assistant_response: "hm" });
  const shapes = layoutRows(messages, CLOSED);
  expect(shapes.get(0)).toEqual({
    kind: "failures",
    head: { kind: "command", label: "$", text: "" },
    calls: [0, 2, 4],
    result: 5,
  });
  expect([1, 2, 3, 4, 5].map((ord) => shapes.get(ord))).toEqual(Array(5).fill({ kind: "nested", row: 0 }));
  expect(layoutRows(messages, { expanded: new Set([0]) }).get(2)).toEqual({ kind: "call", result: 3 });
});

test("layoutRows ends a streak at another tool, a success or a text", () => {
  const between = [call("Read"), ok(4), { assistant_response: "hm" }];
  const shapes = layoutRows(run(call(), bad(0), call(), bad(2), ...between, call(), bad(7)), CLOSED);
  expect([...shapes.values()].filter(({ kind }) => kind === "failures")).toEqual([]);
});

const thought = { assistant_response: "", thinking: "hm" };
const text = { assistant_response: "done" };
const calls = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => [call(n % 2 ? "Read" : "Bash"), ok(from + 2 * n)]).flat();

test("layoutRows folds three calls in a row, with the thoughts between them", () => {
  const messages = run(call(), ok(0), thought, call("Read"), ok(3), call("Grep"), ok(5), thought, text);
  const shapes = layoutRows(messages, { ...CLOSED, folds: true });
  expect(shapes.get(0)).toEqual({
    kind: "call",
    result: 1,
    fold: { row: 0, kinds: ["command", "read", "search"], thoughts: 1, open: false },
  });
  expect([2, 3, 5].map((row) => shapes.get(row))).toEqual(Array(3).fill({ kind: "nested", row: 0, folded: true }));
  expect([7, 8].map((row) => shapes.get(row)?.kind)).toEqual(["plain", "plain"]);
  expect([visibleRow(shapes, 6), hidingFold(shapes, 6), hidingFold(shapes, 8)]).toEqual([0, 0, undefined]);
  const opened = layoutRows(messages, { expanded: new Set([foldKey(0)]), folds: true });
  expect([2, 3, 5].map((row) => opened.get(row)?.kind)).toEqual(["plain", "call", "call"]);
  expect(hidingFold(opened, 5)).toBeUndefined();
});

test("layoutRows never folds a call that failed or changed a file; a fold ends there", () => {
  const messages = run(call(), bad(0), ...calls(3, 2), call("Edit"), ok(8), ...calls(3, 10), call(), bad(16));
  const shapes = layoutRows(messages, { ...CLOSED, folds: true });
  const folds = [...shapes.values()].flatMap((row) => (row.kind === "call" && row.fold ? [row.fold] : []));
  expect(folds.map(({ row, kinds }) => [row, kinds.length])).toEqual([
    [2, 3],
    [10, 3],
  ]);
  expect([0, 8, 16].map((row) => shapes.get(row))).toEqual(
    [0, 8, 16].map((row) => ({ kind: "call", result: row + 1 })),
  );
});

test("layoutRows folds no short or interrupted row of calls", () => {
  const folds = (...contents: Record<string, unknown>[]) =>
    [...layoutRows(run(...contents), { ...CLOSED, folds: true }).values()].filter((row) => "fold" in row).length;
  expect(folds(...calls(2), text, ...calls(2, 5))).toBe(0);
  expect(folds(...calls(2), call())).toBe(0);
  expect(folds(...calls(3))).toBe(1);
});

test("layoutRows keeps the last call of a live run in view", () => {
  const live = { ...CLOSED, folds: true, live: true };
  const shapes = layoutRows(run(...calls(4)), live);
  expect(shapes.get(0)).toMatchObject({ fold: { kinds: ["command", "read", "command"] } });
  expect(shapes.get(6)).toEqual({ kind: "call", result: 7 });
  expect(layoutRows(run(...calls(4), text), live).get(6)).toMatchObject({ folded: true });
});

test("layoutRows ends a fold with its chunk, so that loading another one moves nothing", () => {
  const messages = run(...calls(60));
  const shapes = layoutRows(messages, { ...CLOSED, folds: true });
  const alone = layoutRows(new Map([...messages].slice(100)), { ...CLOSED, folds: true });
  expect(shapes.get(100)).toEqual(alone.get(100));
  expect(shapes.get(100)).toMatchObject({ fold: { row: 100 } });
});
