// From what the address says to what the API is asked.
import type { Filters } from "@/api/runs";
import type { RunsSearch } from "./route";

export const WITHIN: Record<string, number> = {
  "1h": 3600,
  "24h": 86400,
  "7d": 7 * 86400,
  "30d": 30 * 86400,
};

/** `within` is relative, so the address stays true tomorrow; the minute is cut so that the query stays the same one. */
export function apiFilters(search: RunsSearch, now = Date.now() / 1000): Filters {
  const { within, ...rest } = search;
  const span = within === undefined ? undefined : WITHIN[within];
  return span === undefined ? rest : { ...rest, since: Math.floor((now - span) / 60) * 60 };
}
