import { expect, test } from "vitest";
import { graphHeight } from "./graph-size";

test("the strip is as high as the record says", () => {
  expect([0, 4, 5, 20, 21, 200].map(graphHeight)).toEqual([112, 112, 160, 160, 220, 220]);
});
