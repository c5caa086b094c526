import { expect, test } from "vitest";
import { parsePatch } from "./patch";

test("parsePatch recognises a removed line that looks like a file header", () => {
  const kinds = parsePatch("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+new\n same").map(
    (l) => l.kind,
  );
  expect(kinds).toEqual(["file", "note", "note", "hunk", "remove", "add", "same"]);
});
