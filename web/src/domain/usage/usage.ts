// Ranges, measures and numbers of the Usage page.
import { clockTime, compact, cost, duration } from "../text/format";

export interface UsageNumbers {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  total: number;
  cost_microusd: number | null;
  unpriced_tokens: number;
}

/** The counts of a run or a show. */
export interface TokenCounts {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
}

/** All tokens, as everywhere: input, output, cache read and cache write. */
export function totalTokens(counts: TokenCounts): number {
  return counts.input_tokens + counts.output_tokens + counts.cache_read_tokens + counts.cache_write_tokens;
}

/** A sum of tokens and money, or of seconds. */
export interface Amount {
  usage: UsageNumbers | null;
  seconds: number | null;
}

export const RANGES = { "24h": "24 hours", "7d": "7 days", "30d": "30 days", "90d": "90 days" } as const;
export type Range = keyof typeof RANGES;
export const MEASURES = { cost: "Cost", tokens: "Tokens", time: "Time", waiting: "Waiting" } as const;
export type Measure = keyof typeof MEASURES;
export const STACKS = { model: "Model", project: "Project", agent: "Agent", show: "Show" } as const;
export type Stack = keyof typeof STACKS;

const DAYS: Record<Range, number> = { "24h": 1, "7d": 7, "30d": 30, "90d": 90 };

/** The start of a range: whole hours of a day, or whole local days, today included. */
export function rangeStart(range: Range, now: Date): number {
  const start = new Date(now);
  start.setMinutes(0, 0, 0);
  if (range === "24h") start.setTime(start.getTime() - 23 * 3_600_000);
  else {
    start.setHours(0);
    start.setDate(start.getDate() - DAYS[range] + 1);
  }
  return start.getTime() / 1000;
}

/** "since Wed, Nov 11": ranges of days begin at midnight. */
export function sinceText(range: Range, now: Date): string {
  return `since ${bucketTitle(rangeStart(range, now), range === "24h" ? "hour" : "day")}`;
}

/** The size of a bar: zero for an unknown cost, which the table shows as unknown. */
export function amountOf({ usage, seconds }: Amount, measure: Measure): number {
  if (measure === "cost") return usage?.cost_microusd ?? 0;
  return (measure === "tokens" ? usage?.total : seconds) ?? 0;
}

export function formatValue(value: number, measure: Measure): string {
  if (measure === "cost") return cost(value);
  return measure === "tokens" ? compact(value) : value === 0 ? "0" : duration(value * 1000);
}

/** An amount in words; "unknown" for a cost without a price. */
export function amountText(amount: Amount, measure: Measure): string {
  if (measure === "cost" && amount.usage) return costText(amount.usage);
  return formatValue(amountOf(amount, measure), measure);
}

/** The cost, "unknown", or the cost of a part with a plus. */
export function costText({ cost_microusd, unpriced_tokens }: UsageNumbers): string {
  if (cost_microusd === null) return "unknown";
  return unpriced_tokens > 0 ? `${cost(cost_microusd)}+` : cost(cost_microusd);
}

/** "12k in · 3k out · 1.2M cached". */
export function tokenKinds(usage: UsageNumbers): string {
  const cached = usage.cache_read + usage.cache_write;
  return `${compact(usage.input)} in · ${compact(usage.output)} out · ${compact(cached)} cached`;
}

/** Two to five round marks of an axis, zero excluded; the last one is not below the highest value. */
export function axisMarks(highest: number, base = 10): number[] {
  if (highest <= 0) return [];
  const power = base ** Math.floor(Math.log(highest) / Math.log(base));
  const steps = base === 10 ? [0.5, 1, 2.5, 5] : [0.25, 0.5, 1, 5, 15];
  const step = (steps.find((factor) => highest / (power * factor) <= 4) ?? 10) * power;
  return Array.from({ length: Math.ceil(highest / step - 1e-9) }, (_, index) => (index + 1) * step);
}

/** The share of sent tokens that came from the cache; undefined when none were sent. */
export function cacheHitRate({ input, cache_read, cache_write }: UsageNumbers): number | undefined {
  const sent = input + cache_read + cache_write;
  return sent === 0 ? undefined : cache_read / sent;
}

export function highestOf<T extends Amount>(buckets: readonly T[], measure: Measure): T | undefined {
  const sorted = buckets.toSorted((a, b) => amountOf(b, measure) - amountOf(a, measure));
  return sorted[0] && amountOf(sorted[0], measure) > 0 ? sorted[0] : undefined;
}

/** What a part is called. */
export function partName(name: string | null, stack: Stack): string {
  if (name === null) return "Others";
  return name || { model: "Unknown model", project: "No project", agent: "No agent", show: "No show" }[stack];
}

/** "Tue, Nov 17" or "Nov 17, 14:00". */
export function bucketTitle(at: number, by: string): string {
  const date = new Date(at * 1000);
  if (by === "hour") {
    return `${date.toLocaleDateString(undefined, { month: "short", day: "numeric" })}, ${clockTime(at)}`;
  }
  return date.toLocaleDateString(undefined, { weekday: "short", month: "short", day: "numeric" });
}
