// A change of the state, as the feed tells it, and what of the page it concerns.

export interface Change {
  seq: number;
  at: number;
  kind: string;
  entity: string;
  entity_id: string;
  parent_id: string | null;
  ord: number | null;
}

/** The first words of the keys of queries; every key starts with one of them. */
export const QUERY_ROOTS = [
  "runs", "run", "home", "shows", "show", "teams", "team", "definitions", "definition", "admin", "launches", "search",
] as const; // biome-ignore format: one list, one line
export type QueryRoot = (typeof QUERY_ROOTS)[number];

/** What must be fetched again after a change: a root, and the id of one thing where only that is concerned. */
export interface StaleQuery {
  root: QueryRoot;
  id?: string;
}

/** The queries that a change makes old. Messages arrive by the thousand, so they concern only what counts them. */
export function staleQueries(change: Change): StaleQuery[] {
  const parent = change.parent_id ?? undefined;
  switch (change.entity) {
    case "session":
      return [{ root: "runs" }, { root: "run", id: change.entity_id }, { root: "home" }, { root: "show" }];
    case "message":
      return [{ root: "runs" }, ...(parent ? [{ root: "run" as const, id: parent }] : [])];
    case "branch":
      return parent ? [{ root: "run", id: parent }] : [];
    case "show":
      return [{ root: "shows" }, { root: "show" }, { root: "home" }];
    case "play":
      return [{ root: "shows" }, { root: "show" }, { root: "home" }];
    case "team":
      // By its id or by its name: an address may say either.
      return [{ root: "teams" }, { root: "team" }, { root: "home" }];
    case "team_message":
      return [{ root: "teams" }, { root: "team" }];
    case "definition":
      return [{ root: "definitions" }, { root: "definition" }];
    default:
      return [];
  }
}
