import { expect, test } from "vitest";
import { marked } from "./highlight";

test("what was looked for is marked, whatever its case", () => {
  expect(marked("Add Rate limits now", "rate LIMIT")).toEqual([
    { text: "Add ", found: false },
    { text: "Rate", found: true },
    { text: " ", found: false },
    { text: "limit", found: true },
    { text: "s now", found: false },
  ]);
});

test("signs of patterns are letters here, and nothing sought marks nothing", () => {
  expect(marked("a.b a+b", "a+b")).toEqual([
    { text: "a.b ", found: false },
    { text: "a+b", found: true },
  ]);
  expect(marked("<b>x</b>", '"')).toEqual([{ text: "<b>x</b>", found: false }]);
});
