import type { Filters } from "@/api/runs";
import { spanStart } from "@/domain/runs/filters";
import type { RunsSearch } from "./route";

/** The filters of the address as filters of the API. `within` is relative, so that a saved address stays useful. */
export function apiFilters({ within, ...filters }: RunsSearch, now?: number): Filters {
  return within === undefined ? filters : { ...filters, since: spanStart(within, now) };
}
