import { expect, test } from "vitest";
import { flag, number, oneOf, text } from "./search-params";

test("text reads a non-empty text from any value", () => {
  expect(text({ q: "words" }, "q")).toBe("words");
  expect(text({ q: 12 }, "q")).toBe("12");
  for (const q of ["", null, undefined, {}, ["a"]]) expect(text({ q }, "q")).toBeUndefined();
  expect(text({ q: "x".repeat(9999) }, "q")).toHaveLength(500);
  expect(text({}, "__proto__")).toBeUndefined();
});

test("oneOf reads one of the options", () => {
  expect(oneOf({ card: "slow" }, "card", ["slow", "stale"])).toBe("slow");
  expect(oneOf({ card: "SLOW" }, "card", ["slow", "stale"])).toBeUndefined();
});

test("number reads finite numbers, flag reads true", () => {
  expect(number({ at: "1.5" }, "at")).toBe(1.5);
  for (const at of ["x", Number.POSITIVE_INFINITY, null, {}]) expect(number({ at }, "at")).toBeUndefined();
  expect([flag({ a: true }, "a"), flag({ a: "true" }, "a"), flag({ a: "no" }, "a")]).toEqual([true, true, undefined]);
});
