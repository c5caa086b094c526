import { expect, test } from "vitest";
import { addView, isSameSearch, parseViews } from "./saved-views";

test("parseViews ignores what is not a view", () => {
  const view = { name: "mine", search: { status: "failed" } };
  expect(parseViews(JSON.stringify([view, 3, null, { name: 1, search: {} }, { name: "x" }]))).toEqual([view]);
  expect(parseViews("{")).toEqual([]);
  expect(parseViews('{"a": 1}')).toEqual([]);
  expect(parseViews(null)).toEqual([]);
});

test("addView replaces a view of the same name", () => {
  const views = addView(addView([], "mine", { status: "failed" }), " mine ", { status: "running" });
  expect(views).toEqual([{ name: "mine", search: { status: "running" } }]);
});

test("isSameSearch ignores the order of parameters and values", () => {
  expect(isSameSearch({ a: ["x", "y"], b: 1 }, { b: 1, a: ["y", "x"], c: undefined })).toBe(true);
  expect(isSameSearch({ a: "x" }, { a: "y" })).toBe(false);
});
