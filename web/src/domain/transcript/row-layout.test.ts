import { expect, test } from "vitest";
import type { TranscriptMessage } from "./message-entry";
import { layoutRows } from "./row-layout";

/** Messages with these contents; the id of each is its number. */
function run(...contents: Record<string, unknown>[]): Map<number, TranscriptMessage> {
  return new Map(
    contents.map((content, ord) => [
      ord,
      { ord, id: `${ord}`, branch_id: "b", missing: false, created_at: ord, size: 0, cut: null, content },
    ]),
  );
}

const call = (tool = "Bash") => ({ function: tool, arguments: {} });
const ok = (id: number) => ({ output: "ok", action_request_id: `${id}` });
const bad = (id: number) => ({ error: "no", action_request_id: `${id}` });

test("layoutRows nests results in their calls, also for parallel calls", () => {
  const shapes = layoutRows(run(call(), call(), ok(0), ok(1)), new Set());
  expect(shapes.get(0)).toEqual({ kind: "call", result: 2 });
  expect(shapes.get(1)).toEqual({ kind: "call", result: 3 });
  expect(shapes.get(2)).toEqual({ kind: "nested", row: 0 });
});

test("layoutRows gives a result without its call, or a second result, its own row", () => {
  const shapes = layoutRows(run(ok(77), call(), ok(1), ok(1)), new Set());
  expect(shapes.get(0)).toEqual({ kind: "plain" });
  expect(shapes.get(3)).toEqual({ kind: "plain" });
});

test("layoutRows collapses three failures of a tool until they are expanded", () => {
  const messages = run(call(), bad(0), call(), bad(2), call(), bad(4), { assistant_response: "hm" });
  const shapes = layoutRows(messages, new Set());
  expect(shapes.get(0)).toEqual({ kind: "failures", tool: "Bash", calls: [0, 2, 4], result: 5 });
  expect([1, 2, 3, 4, 5].map((ord) => shapes.get(ord))).toEqual(Array(5).fill({ kind: "nested", row: 0 }));
  expect(layoutRows(messages, new Set([0])).get(2)).toEqual({ kind: "call", result: 3 });
});

test("layoutRows ends a streak at another tool, a success or a text", () => {
  const between = [call("Read"), ok(4), { assistant_response: "hm" }];
  const shapes = layoutRows(run(call(), bad(0), call(), bad(2), ...between, call(), bad(7)), new Set());
  expect([...shapes.values()].filter(({ kind }) => kind === "failures")).toEqual([]);
});
