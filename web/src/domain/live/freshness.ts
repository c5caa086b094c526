// How much what is on the screen can be trusted: when the server was heard last, and whether the line stands.

export type Freshness = "live" | "reconnecting" | "stale";

export interface Connection {
  connected: boolean;
  /** When the server was last heard, in ms; 0 when never. */
  lastHeardAt: number;
  /** When the line was lost, in ms. */
  disconnectedAt: number;
}

// The server says something every 15 s; three silences mean that nobody is there.
export const HEARTBEAT_TIMEOUT_MS = 45_000;
const RECONNECT_GRACE_MS = 10_000;

export function freshnessOf(connection: Connection, now: number): Freshness {
  if (connection.connected) return now - connection.lastHeardAt < HEARTBEAT_TIMEOUT_MS ? "live" : "stale";
  return now - connection.disconnectedAt < RECONNECT_GRACE_MS ? "reconnecting" : "stale";
}
