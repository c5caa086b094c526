// A show as a picture: how high its strip is, what stands where in time.

interface TimedPlay {
  name: string;
  meta: { started_at?: unknown; ended_at?: unknown };
}

export interface Lane {
  name: string;
  /** Unix seconds; null for a play that has not begun. */
  from: number | null;
  to: number | null;
  isRunning: boolean;
}

/** What ran when: one lane a play, in the order in which they began; what has not begun comes last. */
export function timelineLanes(plays: readonly TimedPlay[], now: number): Lane[] {
  const lanes = plays.map(({ name, meta }) => {
    const from = toUnixSeconds(meta.started_at);
    const end = toUnixSeconds(meta.ended_at);
    const isRunning = from !== null && (end === null || end < from);
    return { name, from, to: from === null ? null : isRunning ? Math.max(now, from) : end, isRunning };
  });
  return lanes.sort((a, b) => (a.from ?? Number.POSITIVE_INFINITY) - (b.from ?? Number.POSITIVE_INFINITY));
}

/** The first and the last moment of all lanes; null when nothing has begun. */
export function timelineRange(all: readonly Lane[]): [number, number] | null {
  const started = all.filter((lane) => lane.from !== null);
  if (started.length === 0) return null;
  const from = Math.min(...started.map((lane) => lane.from as number));
  const to = Math.max(...started.map((lane) => lane.to as number));
  return [from, Math.max(to, from + 1)];
}

/** A moment as it may lie in a file: seconds, or a text that says a date. */
export function toUnixSeconds(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const parsed = Date.parse(value) / 1000;
  return Number.isFinite(parsed) ? parsed : null;
}
