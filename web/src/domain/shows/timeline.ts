// The timeline of a show: one lane for each play.

interface TimedPlay {
  name: string;
  meta: { started_at?: unknown; ended_at?: unknown };
}

export interface Lane {
  name: string;
  /** Unix seconds; null for a play that has not started. */
  from: number | null;
  to: number | null;
  isRunning: boolean;
}

/** Lanes in order of their start; plays that have not started come last. */
export function timelineLanes(plays: readonly TimedPlay[], now: number): Lane[] {
  const lanes = plays.map(({ name, meta }) => {
    const from = toUnixSeconds(meta.started_at);
    const end = toUnixSeconds(meta.ended_at);
    const isRunning = from !== null && (end === null || end < from);
    return { name, from, to: from === null ? null : isRunning ? Math.max(now, from) : end, isRunning };
  });
  return lanes.sort((a, b) => (a.from ?? Number.POSITIVE_INFINITY) - (b.from ?? Number.POSITIVE_INFINITY));
}

/** From the first start to the last end; null if no play has started. */
export function timelineRange(all: readonly Lane[]): [number, number] | null {
  const started = all.filter((lane) => lane.from !== null);
  if (started.length === 0) return null;
  const from = Math.min(...started.map((lane) => lane.from as number));
  const to = Math.max(...started.map((lane) => lane.to as number));
  return [from, Math.max(to, from + 1)];
}

/** A time as it occurs in files: unix seconds, or a date as text. */
export function toUnixSeconds(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const parsed = Date.parse(value) / 1000;
  return Number.isFinite(parsed) ? parsed : null;
}
