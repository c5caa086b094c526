import { expect, test } from "vitest";
import { progressOf } from "./progress";

test("the parts of a show's bar are all of its plays", () => {
  const { all, merged, parts } = progressOf({
    merged: 4,
    running: 1,
    gated: 1,
    gate_failed: 1,
    pending: 2,
    odd: 1,
  });
  expect([all, merged]).toEqual([10, 4]);
  expect(parts.reduce((sum, part) => sum + part.value, 0)).toBe(all);
});
