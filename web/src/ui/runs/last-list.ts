// The list that the user came from: its search parameters, for this tab.
import { type RunsSearch, validateSearch } from "@/api/run-list/search";

const KEY = "lion-last-list";

export function rememberList(search: RunsSearch): void {
  sessionStorage.setItem(KEY, JSON.stringify(search));
}

export function lastList(): RunsSearch {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? validateSearch(stored as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
