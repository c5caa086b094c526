// Time spans of the filters, and tables of labels as keys and options.

export const TIME_SPANS = {
  "1h": { label: "Last hour", seconds: 3600 },
  "24h": { label: "Last 24 hours", seconds: 86_400 },
  "7d": { label: "Last 7 days", seconds: 7 * 86_400 },
  "30d": { label: "Last 30 days", seconds: 30 * 86_400 },
} as const;
export type TimeSpan = keyof typeof TIME_SPANS;

/** The start of a time span, rounded down to a minute so that the query key stays the same for a minute. */
export function spanStart(span: TimeSpan, now = Date.now() / 1000): number {
  return Math.floor((now - TIME_SPANS[span].seconds) / 60) * 60;
}

export function keysOf<K extends string>(labels: Record<K, unknown>): K[] {
  return Object.keys(labels) as K[];
}

export function toOptions(labels: Record<string, string | { label: string }>) {
  return Object.entries(labels).map(([value, entry]) => ({
    value,
    label: typeof entry === "string" ? entry : entry.label,
  }));
}
