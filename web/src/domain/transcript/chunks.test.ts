import { expect, test } from "vitest";
import { extended, neighbour, piecesFor } from "./chunks";

const at = (ord: number) => ({ ord });

test("the pieces of what is seen, with some to spare, never beyond the end", () => {
  expect(piecesFor(0, 20, 30_000)).toEqual([0]);
  expect(piecesFor(95, 120, 30_000)).toEqual([0, 1]);
  expect(piecesFor(150, 180, 30_000)).toEqual([0, 1, 2]);
  expect(piecesFor(29_990, 40_000, 30_000)).toEqual([299]);
  expect(piecesFor(0, 10, 0)).toEqual([]);
});

test("news joins the last piece; what is known already is not doubled", () => {
  const old = { messages: [at(100), at(101)], full: false };
  const now = extended(old, 1, [at(101), at(102), at(200)]);
  expect(now).toEqual({ messages: [at(100), at(101), at(102)], full: false });
  expect(extended(old, 1, [at(101)])).toBe(old);
});

test("a piece is full with its hundredth, and a hole is not papered over", () => {
  const most = Array.from({ length: 99 }, (_, index) => at(index));
  expect(extended({ messages: most, full: false }, 0, [at(99)])?.full).toBe(true);
  expect(extended({ messages: most, full: false }, 0, [at(100)])?.messages).toHaveLength(99);
  expect(extended({ messages: [at(0)], full: false }, 0, [at(2)])).toBeUndefined();
});

test("the next and the previous, round the end", () => {
  expect(neighbour([3, 9, 20], 9, 1)).toBe(20);
  expect(neighbour([3, 9, 20], 20, 1)).toBe(3);
  expect(neighbour([3, 9, 20], 3, -1)).toBe(20);
  expect(neighbour([], 3, 1)).toBeUndefined();
});
