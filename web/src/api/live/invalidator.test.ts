import type { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { QueryInvalidator } from "./invalidator";

let asked: unknown[] = [];
const queries = {
  invalidateQueries: (what?: unknown) => asked.push(what ?? "all"),
} as unknown as QueryClient;

beforeEach(() => {
  asked = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test("QueryInvalidator invalidates at once, then twice a second", () => {
  const refresher = new QueryInvalidator(queries, () => Date.now());
  for (let i = 0; i < 1000; i++) {
    refresher.invalidate([{ root: "runs" }]);
    vi.advanceTimersByTime(2);
  }
  expect(asked.length).toBeGreaterThanOrEqual(4);
  expect(asked.length).toBeLessThanOrEqual(6);
});

test("QueryInvalidator never drops the last change and does not delay other targets", () => {
  const refresher = new QueryInvalidator(queries, () => Date.now());
  refresher.invalidate([{ root: "runs" }]);
  refresher.invalidate([{ root: "runs" }, { root: "run", id: "a" }]);
  expect(asked).toEqual([{ queryKey: ["runs"] }, { queryKey: ["run", "a"] }]);
  vi.advanceTimersByTime(600);
  expect(asked.at(-1)).toEqual({ queryKey: ["runs"] });
  vi.advanceTimersByTime(5000);
  expect(asked).toHaveLength(3);
});
