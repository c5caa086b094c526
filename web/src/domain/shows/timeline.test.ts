import { expect, test } from "vitest";
import { type Phase, ticks, timeScale, toUnixSeconds } from "./timeline";

const agent = (from: number, to: number | null): Phase => ({ kind: "agent", from, to });

test("timeScale is linear without idle stretches", () => {
  const scale = timeScale([agent(0, 50), agent(50, 100)], 100);
  expect(scale?.percent(25)).toBe(25);
  expect(scale?.pieces.some(({ isIdle }) => isIdle)).toBe(false);
});

test("timeScale shortens a wait for a person to a break and keeps the order of times", () => {
  const phases: Phase[] = [agent(0, 10), { kind: "wait", from: 10, to: 3610 }, agent(3610, 3620)];
  const scale = timeScale(phases, 3620);
  expect(scale?.pieces.map(({ isIdle, from, to }) => [isIdle, from, to])).toEqual([
    [false, 0, 10],
    [true, 10, 3610],
    [false, 3610, 3620],
  ]);
  expect(scale?.percent(10)).toBeCloseTo(47.5);
  expect(scale?.percent(3610)).toBeCloseTo(52.5);
  expect(scale?.percent(3620)).toBeCloseTo(100);
});

test("timeScale ends with now while an attempt runs or waits", () => {
  expect(timeScale([agent(0, null)], 40)?.pieces.at(-1)?.to).toBe(40);
  expect(timeScale([agent(0, 10), { kind: "wait", from: 10, to: null }], 1000)?.pieces.at(-1)).toMatchObject({
    isIdle: true,
    to: 1000,
  });
});

test("timeScale of many idle stretches leaves room for work", () => {
  const phases = Array.from({ length: 50 }, (_, index) => agent(index * 1000, index * 1000 + 1));
  const scale = timeScale(phases, 50_000);
  const idle = scale?.pieces.filter(({ isIdle }) => isIdle).reduce((sum, { width }) => sum + width, 0) ?? 0;
  expect(idle).toBeLessThanOrEqual(50);
  expect(scale?.percent(49_001)).toBeCloseTo(100);
});

test("ticks are round times that do not overlap", () => {
  const scale = timeScale([agent(1003, 1103)], 1103);
  const marks = scale ? ticks(scale) : [];
  expect(marks.map(({ at }) => at)).toEqual([1010, 1020, 1030, 1040, 1050, 1060, 1070, 1080, 1090]);
});

test("timeScale without phases does not exist", () => {
  expect(timeScale([], 1)).toBeNull();
});

test("toUnixSeconds reads numbers and dates", () => {
  expect(toUnixSeconds(12.5)).toBe(12.5);
  expect(toUnixSeconds("1970-01-01T00:00:10Z")).toBe(10);
  expect(toUnixSeconds("soon")).toBeNull();
});
