import { expect, test } from "vitest";
import { languageOf, withoutLineNumbers } from "./language";

test("languageOf knows a file by its name", () => {
  const paths = ["src/a.py", "/x/B.TSX:10–40", "Makefile", "a.py:3", "notes", "x.__proto__", "constructor", ".env"];
  expect(paths.map(languageOf)).toEqual(["python", "typescript", "makefile", "python", ...Array(4).fill(undefined)]);
});

test("withoutLineNumbers separates the numbers of every line", () => {
  expect(withoutLineNumbers("     1\timport a\n     2\t\n")).toEqual({ numbers: ["1", "2", ""], code: "import a\n\n" });
  expect(withoutLineNumbers(" 9→x\n10→y")).toEqual({ numbers: ["9", "10"], code: "x\ny" });
  expect(withoutLineNumbers("1\tone\ntwo").numbers).toBeUndefined();
  expect(withoutLineNumbers("").numbers).toBeUndefined();
});
