import { expect, test } from "vitest";
import { colourLines } from "./syntax";

test("colourLines keeps every line and its text", () => {
  const lines = ["def f(x):", '    """one', "", '    two"""', "    return '<b>'"];
  const tokens = colourLines(lines, "src/a.py");
  expect(tokens?.map((line) => line.map(({ text }) => text).join(""))).toEqual(lines);
  expect(tokens?.[0]?.[0]).toEqual({ text: "def", className: "hljs-keyword" });
  expect(tokens?.[3]?.[0]?.className).toBe("hljs-string");
});

test.each(["a.unknown", "noextension", ""])("colourLines does not guess the language of %j", (path) => {
  expect(colourLines(["x = 1"], path)).toBeUndefined();
});
