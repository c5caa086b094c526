import { expect, test } from "vitest";
import { parsePatch } from "./patch";

test("a removed line that looks like a head is a removed line", () => {
  const kinds = parsePatch("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+new\n same").map(
    (l) => l.kind,
  );
  expect(kinds).toEqual(["file", "note", "note", "hunk", "remove", "add", "same"]);
});
