import { expect, test } from "vitest";
import { freshnessOf, SILENCE_MS } from "./freshness";

test("a line that stands and was heard is live, a silent one is stale", () => {
  const line = { connected: true, heardAt: 1000, lostAt: 0 };
  expect(freshnessOf(line, 1000 + SILENCE_MS - 1)).toBe("live");
  expect(freshnessOf(line, 1000 + SILENCE_MS)).toBe("stale");
});

test("a line that broke is reconnecting for a while, then stale", () => {
  const line = { connected: false, heardAt: 1000, lostAt: 5000 };
  expect(freshnessOf(line, 5001)).toBe("reconnecting");
  expect(freshnessOf(line, 16_000)).toBe("stale");
});
