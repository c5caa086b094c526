import { describe, expect, test } from "vitest";
import { ago, bytes, compact, cost, dateTime, duration, plural } from "./format";

describe("format", () => {
  test.each([
    [0, "now"],
    [59, "59 s ago"],
    [61, "1 min ago"],
    [7200, "2 h ago"],
    [86400 * 3, "3 d ago"],
    [86400 * 400, "1 y ago"],
    [-120, "in 2 min"],
  ])("ago formats %d s as %s", (seconds, words) => expect(ago(1e9 - seconds, 1e9)).toBe(words));

  test.each([
    [-5, "0 ms"],
    [250, "250 ms"],
    [4200, "4.2 s"],
    [61_000, "1 min 1 s"],
    [7_500_000, "2 h 05 min"],
    [90_000_000, "1 d 1 h"],
  ])("duration formats %d ms as %s", (ms, words) => expect(duration(ms)).toBe(words));

  test("cost never rounds to zero", () => {
    expect([0, 42, 12_700, 1_270_000, 1_204_000_000].map(cost)).toEqual([
      "$0",
      "$0.000042",
      "$0.01",
      "$1.27",
      "$1,204",
    ]);
  });

  test("compact and bytes switch units before the text grows", () => {
    expect([999, 1000, 12_400, 999_949, 999_950, 3_100_000].map(compact)).toEqual([
      "999",
      "1k",
      "12.4k",
      "1000k",
      "1M",
      "3.1M",
    ]);
    expect([0, 999, 1400, 88_000_000].map(bytes)).toEqual(["0 B", "999 B", "1.4 kB", "88 MB"]);
  });

  test("plural agrees with the number, dateTime names an invalid time", () => {
    expect([plural(1, "run"), plural(2000, "run")]).toEqual(["1 run", "2,000 runs"]);
    expect(dateTime(1e15)).toBe("unknown time");
  });

  test("dateTime has 24 hours and names the time zone", () => {
    expect(dateTime(1_763_360_000)).toMatch(/2025.* \d\d:\d\d:\d\d (UTC|GMT|[A-Z])/);
  });
});
