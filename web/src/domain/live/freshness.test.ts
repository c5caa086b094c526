import { expect, test } from "vitest";
import { freshnessOf, HEARTBEAT_TIMEOUT_MS } from "./freshness";

test("freshnessOf an open connection is live, then stale when silent", () => {
  const line = { connected: true, lastHeardAt: 1000, disconnectedAt: 0 };
  expect(freshnessOf(line, 1000 + HEARTBEAT_TIMEOUT_MS - 1)).toBe("live");
  expect(freshnessOf(line, 1000 + HEARTBEAT_TIMEOUT_MS)).toBe("stale");
});

test("freshnessOf a lost connection is reconnecting, then stale", () => {
  const line = { connected: false, lastHeardAt: 1000, disconnectedAt: 5000 };
  expect(freshnessOf(line, 5001)).toBe("reconnecting");
  expect(freshnessOf(line, 16_000)).toBe("stale");
});
