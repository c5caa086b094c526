// The runs of the last 24 hours: one bar for each hour, one segment for each status.

export interface HourRow {
  at: number;
  status: string;
  label: string;
  tone: keyof typeof STACK_ORDER;
  runs: number;
}

/** From the bottom of a bar to its top. */
const STACK_ORDER = { success: 0, info: 1, warning: 2, danger: 3, neutral: 4 };

export interface Outcome {
  status: string;
  label: string;
  tone: string;
  runs: number;
}

/** The statuses of all rows with their number of runs, in the order in which bars stack them. */
export function outcomesOf(rows: HourRow[]): Outcome[] {
  const outcomes = new Map<string, Outcome>();
  const sorted = rows.toSorted((a, b) => STACK_ORDER[a.tone] - STACK_ORDER[b.tone] || (a.label < b.label ? -1 : 1));
  for (const { status, label, tone, runs } of sorted) {
    outcomes.set(status, { status, label, tone, runs: runs + (outcomes.get(status)?.runs ?? 0) });
  }
  return [...outcomes.values()];
}

export interface Hour {
  at: number;
  runs: Record<string, number>;
}

/** One entry for each of the last 24 hours. */
export function groupByHour(rows: HourRow[], now: number): Hour[] {
  const first = (Math.floor(now / 3600) - 23) * 3600;
  const hours: Hour[] = Array.from({ length: 24 }, (_, i) => ({ at: first + i * 3600, runs: {} }));
  for (const row of rows) {
    const hour = hours[Math.round((row.at - first) / 3600)];
    if (hour) hour.runs[row.status] = (hour.runs[row.status] ?? 0) + row.runs;
  }
  return hours;
}
