import { expect, test } from "vitest";
import { timelineLanes, timelineRange } from "./timeline";

const play = (name: string, started_at?: unknown, ended_at?: unknown) => ({
  name,
  meta: { started_at, ended_at },
});

test("timelineLanes sorts by start, plays that have not started last", () => {
  const lanes = timelineLanes([play("c"), play("b", 20, 30), play("a", 10, null)], 50);
  expect(lanes).toEqual([
    { name: "a", from: 10, to: 50, isRunning: true },
    { name: "b", from: 20, to: 30, isRunning: false },
    { name: "c", from: null, to: null, isRunning: false },
  ]);
  expect(timelineRange(lanes)).toEqual([10, 50]);
});

test("timelineLanes treats a restarted play as running", () => {
  expect(timelineLanes([play("a", 40, 30)], 50)[0]).toMatchObject({ from: 40, to: 50, isRunning: true });
});

test("timelineLanes accepts dates as text and ignores other values", () => {
  expect(timelineLanes([play("a", "1970-01-01T00:00:10Z", "1970-01-01T00:00:12Z")], 50)[0]).toMatchObject({
    from: 10,
    to: 12,
  });
  expect(timelineRange(timelineLanes([play("a", "soon"), play("b", Number.NaN)], 50))).toBeNull();
});
