import { expect, test } from "vitest";
import { groupByHour } from "./outcomes";

test("groupByHour fills all 24 hours", () => {
  const now = 1_790_000_000;
  const hour = Math.floor(now / 3600) * 3600;
  const row = (at: number, status: string) => ({ at, status, runs: 2, tokens: 10, cost_microusd: null });
  const hours = groupByHour(
    [row(hour, "failed"), row(hour, "failed"), row(hour - 3600, "completed"), row(0, "x")],
    now,
  );
  expect(hours).toHaveLength(24);
  expect(hours[23]).toEqual({ at: hour, runs: { failed: 4 }, tokens: 20, cost: 0 });
  expect(hours[22]?.runs).toEqual({ completed: 2 });
});
