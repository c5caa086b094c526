// Run statuses in the order and tone in which charts stack them. State pills use the tone of the API.

export const RUN_OUTCOMES = [
  { status: "completed", name: "completed", tone: "success" },
  { status: "running", name: "running", tone: "info" },
  { status: "timed_out", name: "timed out", tone: "warning" },
  { status: "failed", name: "failed", tone: "danger" },
  { status: "aborted", name: "aborted", tone: "neutral" },
  { status: "cancelled", name: "cancelled", tone: "neutral" },
] as const;

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

/** One entry for each of the last 24 hours. */
export function groupByHour(rows: HourRow[], now: number): Hour[] {
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
