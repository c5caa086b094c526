// The names of queries. Each begins with a root of domain/changes.ts (and the id, where one thing is meant), because
// that is what the feed makes old; "runPages" is none of them on purpose: what a person reads does not move.
import type { components, operations } from "./schema";

/** What a list of runs can be asked for, but for its page. */
export type Filters = Omit<
  NonNullable<operations["list_runs_api_runs_get"]["parameters"]["query"]>,
  "cursor" | "limit"
>;
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export const keys = {
  dashboard: () => ["home", "dashboard"] as const,
  attention: () => ["home", "attention"] as const,
  stats: () => ["home", "stats"] as const,
  runs: (filters: Filters) => ["runs", "head", filters] as const,
  runPages: (filters: Filters) => ["runPages", filters] as const,
  facets: (filters: Filters) => ["runs", "facets", filters] as const,
  run: (id: string) => ["run", id] as const,
  shows: () => ["shows"] as const,
  show: (topic: string) => ["show", topic] as const,
  play: (topic: string, name: string) => ["show", topic, "play", name] as const,
  teams: () => ["teams"] as const,
  team: (id: string) => ["team", id] as const,
  teamMessages: (id: string) => ["team", id, "messages"] as const,
  definitions: (kind: string) => ["definitions", kind] as const,
  definition: (kind: string, name: string) => ["definition", kind, name] as const,
  versions: (kind: string, name: string) => ["definition", kind, name, "versions"] as const,
  plugins: () => ["definitions", "plugins"] as const,
  search: (query: string) => ["search", query] as const,
  launches: () => ["launches"] as const,
  admin: (part: string) => ["admin", part] as const,
};
