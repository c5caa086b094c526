import { expect, test } from "vitest";
import { highlightParts, searchTerms } from "./highlight";

const marked = (...values: Parameters<typeof highlightParts>): string[] =>
  highlightParts(...values)
    .filter(({ isMatch }) => isMatch)
    .map(({ text }) => text);

test("highlightParts matches whole words case-insensitively", () => {
  expect(highlightParts("Add Rate limits now", "rate LIMIT now")).toEqual([
    { text: "Add ", isMatch: false },
    { text: "Rate", isMatch: true },
    { text: " limits ", isMatch: false },
    { text: "now", isMatch: true },
  ]);
  expect(marked("limits limit", "limit*")).toEqual(["limit", "limit"]);
  expect(marked("review-board", "rev bo", "start")).toEqual(["rev", "bo"]);
});

test("highlightParts escapes patterns and ignores an empty query", () => {
  expect(marked("a.b a+b", "a+b")).toEqual(["a", "b", "a", "b"]);
  expect(highlightParts("<b>x</b>", '"')).toEqual([{ text: "<b>x</b>", isMatch: false }]);
});

test("highlightParts leaves filters out, but marks the path of a file", () => {
  expect(marked("$ pytest tests/x.py as a tool", "role:tool pytest file:tests/x.py")).toEqual(["pytest", "tests/x.py"]);
  expect(searchTerms('agent:"my agent" "two words"')).toEqual(["two", "words"]);
});
