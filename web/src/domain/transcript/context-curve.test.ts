import { expect, test } from "vitest";
import { contextCurves, peakOf } from "./context-curve";

test("contextCurves has a curve for each branch, and keeps every peak", () => {
  const lanes = [0, 4, 6].map((ord) => ({ ord, branch_id: ord === 4 ? "side" : "main" }));
  const contexts = [1, 4, 5, 7, 9].map((ord) => ({ ord, tokens: ord === 5 ? 99 : ord }));
  const curves = contextCurves({ contexts, lanes }, 2);
  expect(curves.map(({ branch, points }) => [branch, points.map(({ ord }) => ord)])).toEqual([
    ["main", [7, 9]],
    ["side", [4, 5]],
  ]);
  expect(peakOf(curves)).toEqual({ ord: 5, tokens: 99 });
  expect(peakOf(contextCurves({ contexts: [], lanes }, 2))).toBeUndefined();
});
