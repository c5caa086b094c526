import { expect, test } from "vitest";
import { fenced } from "./fence";

test("fenced uses a longer fence than the text", () => {
  expect(fenced("a: 1", "yaml")).toBe("```yaml\na: 1\n```");
  expect(fenced("```\nx\n````\n", "yaml")).toBe("`````yaml\n```\nx\n````\n`````");
});
