// Changes of the feed, and the queries that they make stale.

export interface Change {
  seq: number;
  at: number;
  kind: string;
  entity: string;
  entity_id: string;
  parent_id: string | null;
  ord: number | null;
}

/** The first parts of query keys. */
export const QUERY_ROOTS = [
  "runs", "run", "home", "shows", "show", "teams", "team", "definitions", "definition", "admin", "launches", "search",
  "studioSessions", "questions", "workers",
] as const; // biome-ignore format: one list, one line
export type QueryRoot = (typeof QUERY_ROOTS)[number];

/** Queries to invalidate: all of a root, or those with one id. */
export interface StaleQuery {
  root: QueryRoot;
  id?: string;
}

/** The queries that a change makes stale. Messages are frequent, so they affect only queries that show counts. */
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
      // All of them: the address may contain the id or the name.
      return [{ root: "teams" }, { root: "team" }, { root: "home" }];
    case "team_message":
      return [{ root: "teams" }, { root: "team" }];
    case "question":
      return [{ root: "questions" }, { root: "home" }, { root: "shows" }, { root: "show" }];
    case "worker":
      return [{ root: "workers" }, { root: "show" }, { root: "home" }];
    case "order":
      return [{ root: "workers" }, { root: "show" }, { root: "home" }];
    case "definition":
      return [{ root: "definitions" }, { root: "definition" }];
    case "studio_session":
      return [{ root: "studioSessions" }];
    default:
      return [];
  }
}
