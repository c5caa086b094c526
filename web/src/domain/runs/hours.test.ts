import { expect, test } from "vitest";
import { groupByHour, type HourRow, outcomesOf } from "./hours";

const row = (at: number, status: string, tone: HourRow["tone"] = "neutral") => ({
  at,
  status,
  label: status,
  tone,
  runs: 2,
});

test("groupByHour fills all 24 hours", () => {
  const now = 1_790_000_000;
  const hour = Math.floor(now / 3600) * 3600;
  const hours = groupByHour(
    [row(hour, "failed"), row(hour, "failed"), row(hour - 3600, "completed"), row(0, "x")],
    now,
  );
  expect(hours).toHaveLength(24);
  expect(hours[23]).toEqual({ at: hour, runs: { failed: 4 } });
  expect(hours[22]?.runs).toEqual({ completed: 2 });
});

test("outcomesOf adds up each status and sorts by tone", () => {
  const rows = [
    row(0, "failed", "danger"),
    row(0, "completed", "success"),
    row(1, "failed", "danger"),
    row(1, "aborted"),
  ];
  expect(outcomesOf(rows).map(({ status, runs }) => [status, runs])).toEqual([
    ["completed", 2],
    ["failed", 4],
    ["aborted", 2],
  ]);
});
