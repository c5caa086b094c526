import { expect, test } from "vitest";
import { diffLines } from "./line-diff";

const texts = (old: string | null, current: string): string[] => diffLines(old, current).map(({ text }) => text);

test("diffLines keeps three lines around a change", () => {
  expect(texts("a\nb\nc\nd\nold\ne\nf\ng\nh", "a\nb\nc\nd\nnew\ne\nf\ng\nh")).toEqual([
    " b", " c", " d", "-old", "+new", " e", " f", " g",
  ]); // biome-ignore format: one line for one diff
});

test("diffLines finds lines that stay between two changes", () => {
  expect(texts("one\nkeep\ntwo", "1\nkeep\n2")).toEqual(["-one", "+1", " keep", "-two", "+2"]);
});

test("diffLines shows a new file as added", () => {
  expect(texts(null, "a\nb")).toEqual(["+a", "+b"]);
});

test("diffLines shows a long change as removed and added lines", () => {
  const lines = (prefix: string) => Array.from({ length: 600 }, (_, index) => `${prefix}${index}`);
  const result = texts(lines("a").join("\n"), lines("b").join("\n"));
  expect(result).toHaveLength(1200);
  expect(result[0]).toBe("-a0");
  expect(result[1199]).toBe("+b599");
});
