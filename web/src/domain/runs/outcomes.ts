// Statuses in the order and tone in which charts stack them. Pills do not use this: their tone comes from the API.

export const OUTCOMES = [
  { status: "completed", name: "completed", tone: "success" },
  { status: "running", name: "running", tone: "info" },
  { status: "timed_out", name: "timed out", tone: "warning" },
  { status: "failed", name: "failed", tone: "danger" },
  { status: "aborted", name: "aborted", tone: "neutral" },
  { status: "cancelled", name: "cancelled", tone: "neutral" },
] as const;

export const PLAY_OUTCOMES = [
  { statuses: ["merged"], name: "merged", tone: "success" },
  { statuses: ["running", "redoing"], name: "running", tone: "info" },
  { statuses: ["running_complete", "gated", "prepared"], name: "at the gate", tone: "warning" },
  { statuses: ["gate_failed", "escalated", "blocked"], name: "stuck", tone: "danger" },
] as const;

/** How many plays a show has, how many are merged, and the parts of its bar; the rest of the bar is still to come. */
export function progressOf(counts: Record<string, number>) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = PLAY_OUTCOMES.map(({ statuses, tone, name }) => ({
    tone,
    name,
    value: statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0),
  }));
  const begun = parts.reduce((sum, part) => sum + part.value, 0);
  return {
    all,
    merged: counts.merged ?? 0,
    parts: [...parts, { tone: "none", name: "to come", value: all - begun }],
  };
}

export interface HourRow {
  at: number;
  status: string;
  runs: number;
  tokens: number | null;
  cost_microusd: number | null;
}

export interface Hour {
  at: number;
  runs: Record<string, number>;
  tokens: number;
  cost: number;
}

/** One entry for each of the last 24 hours, those without a run too. */
export function byHour(rows: HourRow[], now: number): Hour[] {
  const first = (Math.floor(now / 3600) - 23) * 3600;
  const hours: Hour[] = Array.from({ length: 24 }, (_, i) => ({
    at: first + i * 3600,
    runs: {},
    tokens: 0,
    cost: 0,
  }));
  for (const row of rows) {
    const hour = hours[Math.round((row.at - first) / 3600)];
    if (!hour) continue;
    hour.runs[row.status] = (hour.runs[row.status] ?? 0) + row.runs;
    hour.tokens += row.tokens ?? 0;
    hour.cost += row.cost_microusd ?? 0;
  }
  return hours;
}
