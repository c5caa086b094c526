// Every query key of the page. A key starts with a root from domain/live/changes.ts (and an id, where it is about one
// object), because the change feed invalidates by root and id. The keys at the end have no such root on purpose: the
// feed must not refetch them.
import type { QueryRoot } from "@/domain/live/changes";
import type { MessageRange } from "@/domain/runs/compare";
import type { components, operations } from "./schema";

/** Filters of the run list, without its paging parameters. */
export type Filters = Omit<
  NonNullable<operations["list_runs_api_runs_get"]["parameters"]["query"]>,
  "cursor" | "limit"
>;
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** The messages of a session, or of one branch alone (those that a fork inherited). */
export interface MessageSource {
  of: "session" | "branch";
  id: string;
}

export const keys = {
  dashboard: () => key("home", "dashboard"),
  attention: () => key("home", "attention"),
  stats: () => key("home", "stats"),
  usageSums: (since: number[]) => key("home", "usage sums", since),
  usage: (query: object) => key("home", "usage", query),
  allRuns: () => key("runs"),
  runs: (filters: Filters) => key("runs", "newest", filters),
  facets: (filters: Filters) => key("runs", "facets", filters),
  totals: (filters: Filters) => key("runs", "totals", filters),
  run: (id: string) => key("run", id),
  inbox: (id: string) => key("run", id, "inbox"),
  outline: (id: string) => key("run", id, "outline"),
  runFile: (id: string, path: string) => key("run", id, "file", path),
  shows: () => key("shows"),
  show: (topic: string) => key("show", topic),
  showTimeline: (topic: string) => key("show", topic, "timeline"),
  showDecisions: (topic: string) => key("show", topic, "decisions"),
  showChanges: (topic: string) => key("show", topic, "changes"),
  play: (topic: string, name: string) => key("show", topic, "play", name),
  attempts: (topic: string, name: string) => key("show", topic, "play", name, "attempts"),
  diff: (topic: string, name: string, attempt: number | null, against: number | null) =>
    key("show", topic, "play", name, "diff", attempt, against),
  teams: () => key("teams"),
  team: (id: string) => key("team", id),
  teamMessages: (id: string, limit: number) => key("team", id, "messages", limit),
  workers: () => key("workers"),
  definitions: (kind: string) => key("definitions", kind),
  plugins: () => key("definitions", "plugins"),
  plugin: (id: string) => key("definitions", "plugins", id),
  definition: (kind: string, name: string) => key("definition", kind, name),
  definitionProblems: (kind: string, name: string, text: string) => key("definition", kind, name, "problems", text),
  versions: (kind: string, name: string) => key("definition", kind, name, "versions"),
  version: (kind: string, name: string, number: number) => key("definition", kind, name, "versions", number),
  search: (query: object) => key("search", query),
  searchFilters: () => key("search", "filters"),
  find: (q: string) => key("search", "names", q),
  launches: () => key("launches"),
  launch: (id: string) => key("launches", id),
  launchChoices: (folder: string) => key("definitions", "choices", folder),
  admin: () => key("admin"),
  health: () => key("admin", "health"),
  doctor: () => key("admin", "doctor"),
  deadRuns: (ids: string[]) => key("admin", "dead runs", ids),
  doubles: () => key("admin", "doubles"),
  database: () => key("admin", "database"),
  imports: () => key("admin", "imports"),
  history: () => key("admin", "history"),
  prunePreview: (days: number | null, count: number | null, messages: boolean) =>
    key("admin", "prune", days, count, messages),
  settings: () => key("admin", "settings"),
  logs: () => key("admin", "logs"),
  studioSessions: () => key("studioSessions"),
  allQuestions: () => key("questions"),
  questions: () => key("questions", "open"),
  questionsOf: (about: { session: string; status?: "all" } | { show: string }) => key("questions", "of", about),
  question: (id: string) => key("questions", "one", id),

  // Rows below the newest page stay as they were read.
  allRunPages: () => ["runPages"] as const,
  runPages: (filters: Filters) => ["runPages", filters] as const,
  // A message never changes; new ones are appended to the chunk they belong to.
  messageChunks: ({ of, id }: MessageSource) => ["messages", of, id] as const,
  messageChunk: ({ of, id }: MessageSource, index: number) => ["messages", of, id, index] as const,
  firstMessages: (ranges: MessageRange[]) => ["messages", "first", ranges] as const,
  messagesAround: (id: string, ord: number) => ["messages", "around", id, ord] as const,
  messageOrd: (id: string, messageId: string) => ["messages", "ord", id, messageId] as const,
  messageContent: (messageId: string, name: string, part: number) =>
    ["messages", "content", messageId, name, part] as const,
  callChanges: (id: string, messageId: string) => ["messages", "changes", id, messageId] as const,
  // These read the whole run or its folder, which is too much to repeat for every message.
  runTimeline: (id: string) => ["runTimeline", id] as const,
  runRequest: (id: string) => ["runRequest", id] as const,
  runFiles: (id: string) => ["runFiles", id] as const,
  runChanges: (id: string, running: boolean, branch?: string) => ["runChanges", id, running, branch ?? null] as const,
  changedFile: (id: string, path: string, branch?: string) => ["changedFile", id, branch ?? null, path] as const,
  runMatches: (id: string, query: string) => ["runMatches", id, query] as const,
  topRun: (sort: string, since: number) => ["top run", sort, since] as const,
};

function key<Parts extends readonly unknown[]>(root: QueryRoot, ...parts: Parts) {
  return [root, ...parts] as const;
}
