import { expect, test } from "vitest";
import { highlightParts } from "./highlight";

test("highlightParts matches terms case-insensitively", () => {
  expect(highlightParts("Add Rate limits now", "rate LIMIT")).toEqual([
    { text: "Add ", isMatch: false },
    { text: "Rate", isMatch: true },
    { text: " ", isMatch: false },
    { text: "limit", isMatch: true },
    { text: "s now", isMatch: false },
  ]);
});

test("highlightParts escapes patterns and ignores an empty query", () => {
  expect(highlightParts("a.b a+b", "a+b")).toEqual([
    { text: "a.b ", isMatch: false },
    { text: "a+b", isMatch: true },
  ]);
  expect(highlightParts("<b>x</b>", '"')).toEqual([{ text: "<b>x</b>", isMatch: false }]);
});
