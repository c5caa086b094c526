import { expect, test } from "vitest";
import { progressOf } from "./progress";

test("progressOf divides all plays into parts", () => {
  const { total, merged, parts } = progressOf({
    merged: 4,
    running: 1,
    gated: 1,
    gate_failed: 1,
    pending: 2,
    odd: 1,
  });
  expect([total, merged]).toEqual([10, 4]);
  expect(parts.reduce((sum, part) => sum + part.value, 0)).toBe(total);
});

test("progressOf counts prepared and blocked plays as pending, as their badges do", () => {
  expect(progressOf({ prepared: 2, blocked: 1 }).parts.at(-1)).toEqual({ tone: "none", value: 3 });
});
