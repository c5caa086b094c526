import { expect, test } from "vitest";
import { splitFrontMatter } from "./front-matter";

test("splitFrontMatter splits at the fences", () => {
  expect(splitFrontMatter("---\nmodel: x\n---\n# Hi\n")).toEqual({ head: "model: x", body: "# Hi\n" });
  expect(splitFrontMatter("---\r\nmodel: x\r\n---\r\n# Hi")).toEqual({ head: "model: x", body: "# Hi" });
});

test("splitFrontMatter ignores a rule further down and an unclosed fence", () => {
  expect(splitFrontMatter("# Hi\n---\na: b\n---\n").head).toBe("");
  expect(splitFrontMatter("---\na: b\n").body).toBe("---\na: b\n");
});
