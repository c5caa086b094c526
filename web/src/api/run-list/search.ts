// The search parameters of a list of runs: filters with one or several values, and the order.
import { keysOf, spanStart, TIME_SPANS } from "@/domain/runs/filters";
import { number, oneOf, text, values } from "@/domain/search-params";
import type { Filters, Schema } from "../keys";
import { CARD_LABELS } from "../runs";

/** The filters that take several values. */
export const VALUE_FILTERS = [
  "status", "health", "kind", "source", "project", "agent", "playbook", "show", "model", "tag", "machine",
] as const; // biome-ignore format: one list, one line
export type ValueFilter = (typeof VALUE_FILTERS)[number];

/** What a list can be sorted by, with its label. */
export const SORTS: Record<Schema<"Sort">, string> = {
  created: "Created",
  updated: "Updated",
  name: "Name",
  status: "Status",
  messages: "Messages",
  duration: "Duration",
  tokens: "Tokens",
  cost: "Cost",
};
export type Sort = Schema<"Sort">;

export function validateSearch(raw: Record<string, unknown>) {
  const chosen = Object.fromEntries(VALUE_FILTERS.map((name) => [name, values(raw, name)]));
  const params = {
    q: text(raw, "q"),
    card: oneOf(raw, "card", keysOf(CARD_LABELS)),
    ...(chosen as Record<ValueFilter, string | string[] | undefined>),
    within: oneOf(raw, "within", keysOf(TIME_SPANS)),
    since: number(raw, "since"),
    until: number(raw, "until"),
    sort: oneOf(raw, "sort", keysOf(SORTS)),
    order: oneOf(raw, "order", ["asc", "desc"] as const),
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Partial<
    typeof params
  >;
}

export type RunsSearch = ReturnType<typeof validateSearch>;

export function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** The search as filters of the API. `within` is relative, so that a saved address stays useful. */
export function apiFilters(search: RunsSearch, now?: number): Filters {
  const { within, ...rest } = search;
  const chosen = VALUE_FILTERS.flatMap((name) => (search[name] === undefined ? [] : [[name, listOf(search[name])]]));
  const since = within === undefined ? {} : { since: spanStart(within, now) };
  return { ...rest, ...Object.fromEntries(chosen), ...since } as Filters;
}

/** The filters without the order, for counts. */
export function withoutOrder({ sort: _, order: __, ...filters }: Filters): Filters {
  return filters;
}
