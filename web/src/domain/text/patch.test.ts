import { expect, test } from "vitest";
import { countChanges, hunkLines, parsePatch } from "./patch";

test("parsePatch recognises a removed line that looks like a file header", () => {
  const kinds = parsePatch("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+new\n same").map(
    (l) => l.kind,
  );
  expect(kinds).toEqual(["file", "note", "note", "hunk", "remove", "add", "same"]);
});

test("parsePatch numbers the lines of both files", () => {
  const lines = parsePatch("diff --git a/x b/x\n@@ -3,2 +7,2 @@ f()\n one\n-two\n+three\n\\ No newline at end of file");
  expect(lines.slice(2)).toEqual([
    { kind: "same", text: " one", old: 3, new: 7 },
    { kind: "remove", text: "-two", old: 4 },
    { kind: "add", text: "+three", new: 8 },
    { kind: "note", text: "\\ No newline at end of file" },
  ]);
});

test("parsePatch ends with the last line of the patch, not with its line break", () => {
  expect(parsePatch("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n").at(-1)).toEqual({ kind: "add", text: "+b", new: 1 });
});

test("hunkLines has no numbers where the place is not known", () => {
  const hunk = { lines: ["-a", "+b"], old_start: null, new_start: null, header: "" };
  const lines = hunkLines([hunk, { ...hunk, header: "def f():" }]);
  expect(lines.map(({ kind, text, old, new: current }) => [kind, text, old, current])).toEqual([
    ["remove", "-a", undefined, undefined],
    ["add", "+b", undefined, undefined],
    ["hunk", "@@ def f():", undefined, undefined],
    ["remove", "-a", undefined, undefined],
    ["add", "+b", undefined, undefined],
  ]);
  expect(countChanges(lines)).toEqual({ added: 2, removed: 2 });
});
