import { expect, test } from "vitest";
import { filePath } from "./file-path";

test.each([
  ["src/parser/tokens.py", "src/parser/tokens.py"],
  [" tokens.py ", "tokens.py"],
  ["src/x.py:12:3", "src/x.py"],
  ["/etc/hosts", "/etc/hosts"],
  ["Makefile", undefined],
  ["task 7", undefined],
  ["checkout-flow / receipts", undefined],
  ["https://example.org/x.py", undefined],
  ["v1.2", undefined],
  ["/", undefined],
])("filePath of %j is %j", (typed, path) => {
  expect(filePath(typed)).toBe(path);
});
