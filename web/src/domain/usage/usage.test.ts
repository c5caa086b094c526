import { expect, test } from "vitest";
import {
  amountOf,
  axisMarks,
  cacheHitRate,
  costText,
  highestOf,
  partName,
  rangeStart,
  sinceText,
  totalTokens,
  type UsageNumbers,
} from "./usage";

const NONE: UsageNumbers = {
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  total: 0,
  cost_microusd: 0,
  unpriced_tokens: 0,
};

test("rangeStart begins at midnight of the first day, and an hour of 24 for a day", () => {
  const now = new Date(2026, 10, 17, 14, 30);
  expect(new Date(rangeStart("7d", now) * 1000)).toEqual(new Date(2026, 10, 11));
  expect(new Date(rangeStart("24h", now) * 1000)).toEqual(new Date(2026, 10, 16, 15));
});

test("sinceText names the first day, or the first hour of a day", () => {
  const now = new Date(2026, 10, 17, 14, 30);
  expect(sinceText("7d", now)).toMatch(/^since Wed,? .*11/);
  expect(sinceText("24h", now)).toMatch(/^since .*16.*15:00/);
});

test("axisMarks are round and reach the highest value", () => {
  expect(axisMarks(0)).toEqual([]);
  expect(axisMarks(9)).toEqual([2.5, 5, 7.5, 10]);
  expect(axisMarks(1_234_567)).toEqual([500_000, 1_000_000, 1_500_000]);
  for (const highest of [0.3, 1, 7, 42, 999, 1001, 5e9]) {
    const marks = axisMarks(highest);
    expect(marks.at(-1)).toBeGreaterThanOrEqual(highest);
    expect(marks.length).toBeLessThanOrEqual(4);
  }
});

test("costText says unknown, and marks a cost that is only a part", () => {
  expect(costText({ ...NONE, cost_microusd: null, unpriced_tokens: 5 })).toBe("unknown");
  expect(costText({ ...NONE, cost_microusd: 1_500_000, unpriced_tokens: 5 })).toBe("$1.50+");
  expect(costText({ ...NONE, cost_microusd: 1_500_000 })).toBe("$1.50");
});

test("cacheHitRate counts sent tokens only", () => {
  expect(cacheHitRate(NONE)).toBeUndefined();
  expect(cacheHitRate({ ...NONE, input: 10, output: 1000, cache_read: 80, cache_write: 10 })).toBe(0.8);
});

test("highestOf finds the peak of the measure", () => {
  const day = (total: number, cost_microusd: number) => ({ usage: { ...NONE, total, cost_microusd }, seconds: null });
  const days = [day(5, 1), day(1, 9)];
  expect(highestOf(days, "tokens")).toBe(days[0]);
  expect(highestOf(days, "cost")).toBe(days[1]);
  expect(highestOf([day(0, 0)], "cost")).toBeUndefined();
  expect(amountOf({ usage: null, seconds: 3 }, "time")).toBe(3);
});

test("partName names runs without a name, and all others", () => {
  expect([partName(null, "model"), partName("", "project"), partName("x", "show")]).toEqual([
    "Others",
    "No project",
    "x",
  ]);
});

test("totalTokens includes what was written to the cache", () => {
  const counts = { input_tokens: 1, output_tokens: 20, cache_read_tokens: 300, cache_write_tokens: 4000 };
  expect(totalTokens(counts)).toBe(4321);
});
