import { expect, test } from "vitest";
import { workName } from "./work-names";

test("workName says what a worker does, and shows a kind that it does not know", () => {
  expect([workName("final_gates"), workName("show"), workName("paint")]).toEqual([
    "final gates",
    "directs the show",
    "paint",
  ]);
});
