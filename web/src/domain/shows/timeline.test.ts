import { expect, test } from "vitest";
import { extent, lanes, patchLines, stripHeight } from "./timeline";

test("the strip is as high as the record says", () => {
  expect([0, 4, 5, 20, 21, 200].map(stripHeight)).toEqual([112, 112, 160, 160, 220, 220]);
});

const play = (name: string, started_at?: unknown, ended_at?: unknown) => ({
  name,
  meta: { started_at, ended_at },
});

test("lanes follow each other in time and what has not begun is last", () => {
  const found = lanes([play("c"), play("b", 20, 30), play("a", 10, null)], 50);
  expect(found).toEqual([
    { name: "a", from: 10, to: 50, going: true },
    { name: "b", from: 20, to: 30, going: false },
    { name: "c", from: null, to: null, going: false },
  ]);
  expect(extent(found)).toEqual([10, 50]);
});

test("a redone play that began after its last end is going", () => {
  expect(lanes([play("a", 40, 30)], 50)[0]).toMatchObject({ from: 40, to: 50, going: true });
});

test("dates written as text are times too, anything else is none", () => {
  expect(lanes([play("a", "1970-01-01T00:00:10Z", "1970-01-01T00:00:12Z")], 50)[0]).toMatchObject({
    from: 10,
    to: 12,
  });
  expect(extent(lanes([play("a", "soon"), play("b", Number.NaN)], 50))).toBeNull();
});

test("a removed line that looks like a head is a removed line", () => {
  const kinds = patchLines("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+new\n same").map(
    (l) => l.kind,
  );
  expect(kinds).toEqual(["file", "note", "note", "hunk", "remove", "add", "same"]);
});
