// Saved views of the run list: a name and the search parameters of its address. They are kept in this browser.

export interface SavedView {
  name: string;
  search: Record<string, unknown>;
}

export const VIEWS_KEY = "lion-run-views";
const MOST_VIEWS = 50;
const LONGEST_NAME = 60;

/** Views that everyone has. */
export const BUILT_IN_VIEWS: readonly SavedView[] = [
  { name: "Starred", search: { tag: "starred" } },
  { name: "Failures, 7 days", search: { status: ["failed", "timed_out"], within: "7d" } },
  { name: "Most expensive, 7 days", search: { within: "7d", sort: "cost" } },
  { name: "Longest, 7 days", search: { within: "7d", sort: "duration" } },
];

/** The views of a stored text, which may be anything. */
export function parseViews(stored: string | null | undefined): SavedView[] {
  try {
    const views: unknown = JSON.parse(stored ?? "[]");
    if (!Array.isArray(views)) return [];
    return views.filter(isView).slice(0, MOST_VIEWS);
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const view = value as SavedView | null;
  return (
    typeof view?.name === "string" &&
    typeof view.search === "object" &&
    view.search !== null &&
    !Array.isArray(view.search)
  );
}

/** The views with one more; a view of the same name is replaced. */
export function addView(views: readonly SavedView[], name: string, search: object): SavedView[] {
  const view = { name: name.trim().slice(0, LONGEST_NAME), search: { ...search } };
  return [...views.filter((other) => other.name !== view.name), view].slice(-MOST_VIEWS);
}

/** Whether two searches are the same, in any order of their parameters. */
export function isSameSearch(a: object, b: object): boolean {
  return canonical(a) === canonical(b);
}

function canonical(search: object): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  const sorted = entries.map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value]);
  return JSON.stringify(sorted.sort(([a], [b]) => String(a).localeCompare(String(b))));
}
