// Whether the page is up to date, from the state of the connection.

export type Freshness = "live" | "reconnecting" | "stale";

export interface Connection {
  connected: boolean;
  /** When the server last sent something, in ms; 0 if never. */
  lastHeardAt: number;
  /** When the connection was lost, in ms. */
  disconnectedAt: number;
}

// The server sends a heartbeat every 15 s; after three missed ones it counts as down.
export const HEARTBEAT_TIMEOUT_MS = 45_000;
const RECONNECT_GRACE_MS = 10_000;

export function freshnessOf(connection: Connection, now: number): Freshness {
  if (connection.connected) return now - connection.lastHeardAt < HEARTBEAT_TIMEOUT_MS ? "live" : "stale";
  return now - connection.disconnectedAt < RECONNECT_GRACE_MS ? "reconnecting" : "stale";
}
