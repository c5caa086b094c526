// How much what is on the screen can be trusted: when the server was heard last, and whether the line stands.

export type Freshness = "live" | "reconnecting" | "stale";

export interface Line {
  connected: boolean;
  /** When the server was last heard, in ms; 0 when never. */
  heardAt: number;
  /** When the line was lost, in ms. */
  lostAt: number;
}

// The server says something every 15 s; three silences mean that nobody is there.
export const SILENCE_MS = 45_000;
const PATIENCE_MS = 10_000;

export function freshnessOf(line: Line, now: number): Freshness {
  if (line.connected) return now - line.heardAt < SILENCE_MS ? "live" : "stale";
  return now - line.lostAt < PATIENCE_MS ? "reconnecting" : "stale";
}
