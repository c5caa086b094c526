import { expect, test } from "vitest";
import { adjacentOrd, appendToChunk, chunksForRange, rangesOf } from "./chunks";

const at = (ord: number) => ({ ord });

test("chunksForRange adds rows to spare and stays within the count", () => {
  expect(chunksForRange(0, 20, 30_000)).toEqual([0]);
  expect(chunksForRange(95, 120, 30_000)).toEqual([0, 1]);
  expect(chunksForRange(150, 180, 30_000)).toEqual([0, 1, 2]);
  expect(chunksForRange(29_990, 40_000, 30_000)).toEqual([299]);
  expect(chunksForRange(0, 10, 0)).toEqual([]);
});

test("appendToChunk appends new messages once", () => {
  const old = { messages: [at(100), at(101)], isFull: false };
  const now = appendToChunk(old, 1, [at(101), at(102), at(200)]);
  expect(now).toEqual({ messages: [at(100), at(101), at(102)], isFull: false });
  expect(appendToChunk(old, 1, [at(101)])).toBe(old);
});

test("appendToChunk fills a chunk at its size and rejects a gap", () => {
  const most = Array.from({ length: 99 }, (_, index) => at(index));
  expect(appendToChunk({ messages: most, isFull: false }, 0, [at(99)])?.isFull).toBe(true);
  expect(appendToChunk({ messages: most, isFull: false }, 0, [at(100)])?.messages).toHaveLength(99);
  expect(appendToChunk({ messages: [at(0)], isFull: false }, 0, [at(2)])).toBeUndefined();
});

test("adjacentOrd wraps around", () => {
  expect(adjacentOrd([3, 9, 20], 9, 1)).toBe(20);
  expect(adjacentOrd([3, 9, 20], 20, 1)).toBe(3);
  expect(adjacentOrd([3, 9, 20], 3, -1)).toBe(20);
  expect(adjacentOrd([], 3, 1)).toBeUndefined();
});

test("rangesOf joins rows that are near each other", () => {
  expect(rangesOf([3, 90, 500, 501])).toEqual([
    [3, 90],
    [500, 501],
  ]);
  expect(rangesOf([])).toEqual([]);
});
