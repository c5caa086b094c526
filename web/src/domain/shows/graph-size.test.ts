import { expect, test } from "vitest";
import { graphHeight } from "./graph-size";

test("graphHeight follows ADR-0011", () => {
  expect([0, 4, 5, 20, 21, 200].map(graphHeight)).toEqual([112, 112, 160, 160, 220, 220]);
});
