import { expect, test } from "vitest";
import { freshnessOf, HEARTBEAT_TIMEOUT_MS } from "./freshness";

test("a line that stands and was heard is live, a silent one is stale", () => {
  const line = { connected: true, lastHeardAt: 1000, disconnectedAt: 0 };
  expect(freshnessOf(line, 1000 + HEARTBEAT_TIMEOUT_MS - 1)).toBe("live");
  expect(freshnessOf(line, 1000 + HEARTBEAT_TIMEOUT_MS)).toBe("stale");
});

test("a line that broke is reconnecting for a while, then stale", () => {
  const line = { connected: false, lastHeardAt: 1000, disconnectedAt: 5000 };
  expect(freshnessOf(line, 5001)).toBe("reconnecting");
  expect(freshnessOf(line, 16_000)).toBe("stale");
});
