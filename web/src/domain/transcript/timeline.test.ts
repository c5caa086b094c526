import { expect, test } from "vitest";
import { findGaps, lanesOf, ordAt, spanOf } from "./timeline";

const block = (branch_id: string | null, bucket: number, first_ord: number, last_ord: number) => ({
  branch_id,
  bucket,
  messages: last_ord - first_ord + 1,
  first_ord,
  last_ord,
});
const times = {
  start: 1000,
  width: 2,
  buckets: 100,
  blocks: [block("a", 0, 0, 4), block("b", 1, 5, 5), block("a", 60, 6, 9), block("a", 99, 10, 10)],
};

test("findGaps reports only long gaps", () => {
  expect(findGaps(times).map(({ from, to, ms }) => [from, to, ms])).toEqual([
    [0.02, 0.6, 116_000],
    [0.61, 0.99, 76_000],
  ]);
});

test("spanOf and ordAt map between messages and positions", () => {
  expect(spanOf(times, 3, 7)).toEqual({ from: 0, to: 0.61 });
  expect(spanOf(times, 50, 60)).toBeUndefined();
  expect(ordAt(times, 0.55)).toBe(6);
  expect(ordAt(times, 0.55, "b")).toBe(5);
  expect(ordAt(times, 1)).toBe(10);
});

test("lanesOf keeps the branch order and drops the branches with the fewest messages", () => {
  expect(lanesOf(times, ["b", "a"], 8)).toEqual(["b", "a"]);
  expect(lanesOf(times, ["b", "a"], 1)).toEqual(["a"]);
});
