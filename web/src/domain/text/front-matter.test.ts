import { expect, test } from "vitest";
import { splitFrontMatter } from "./front-matter";

test("the head is what stands between the fences at the very beginning", () => {
  expect(splitFrontMatter("---\nmodel: x\n---\n# Hi\n")).toEqual({ head: "model: x", body: "# Hi\n" });
  expect(splitFrontMatter("---\r\nmodel: x\r\n---\r\n# Hi")).toEqual({ head: "model: x", body: "# Hi" });
});

test("a rule further down is none, nor is a head that never ends", () => {
  expect(splitFrontMatter("# Hi\n---\na: b\n---\n").head).toBe("");
  expect(splitFrontMatter("---\na: b\n").body).toBe("---\na: b\n");
});
