import { expect, test } from "vitest";
import { rankName } from "./rank-name";

test("rankName orders the whole name, its start, its words and its parts", () => {
  expect(rankName("Review-board", "review-board")).toBe(0);
  expect(rankName("review-board", "rev")).toBe(1);
  expect(rankName("review-board", "rev bo")).toBe(2);
  expect(rankName("review-board", "bo rev")).toBe(3);
  expect(rankName("review-board", "oard")).toBe(3);
  expect(rankName("review-board", "audit")).toBeUndefined();
  expect(rankName("review-board", "-")).toBeUndefined();
});
