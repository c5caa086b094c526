import { expect, test } from "vitest";
import { splitHead } from "./front-matter";

test("the head is what stands between the fences at the very beginning", () => {
  expect(splitHead("---\nmodel: x\n---\n# Hi\n")).toEqual({ head: "model: x", body: "# Hi\n" });
  expect(splitHead("---\r\nmodel: x\r\n---\r\n# Hi")).toEqual({ head: "model: x", body: "# Hi" });
});

test("a rule further down is none, nor is a head that never ends", () => {
  expect(splitHead("# Hi\n---\na: b\n---\n").head).toBe("");
  expect(splitHead("---\na: b\n").body).toBe("---\na: b\n");
});
