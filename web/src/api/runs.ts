// Runs: the newest page, which follows the feed; older pages, which stay as they were read; one run, and its export.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, send } from "./client";
import { type Filters, keys, type Schema } from "./keys";
import { CLOCK_MS } from "./query-client";

export type Run = Schema<"RunView">;
export type Runs = Schema<"Runs">;
export type Facets = Schema<"Facets">;
export type { Filters };

export const CARD_LABELS: Record<Schema<"Card">, string> = {
  running: "Running",
  failed_24h: "Failed, 24 h",
  slow: "Slow",
  stale: "Stale",
  needs_review: "Needs review",
};

export const HEALTH_LABELS: Record<Schema<"RunHealth">, string> = {
  waiting: "Waiting for you",
  idle: "Idle",
  stale: "Stale",
  stalled: "Stalled",
  process_dead: "Process dead",
  orphaned: "Orphaned",
  running: "Running",
  ok: "OK",
  unknown: "Unknown",
};

const PAGE = 100;

export const newestRuns = (filters: Filters) =>
  queryOptions({
    queryKey: keys.runs(filters),
    queryFn: ({ signal }) => get("/api/runs", { query: { ...filters, limit: PAGE }, signal }),
    refetchInterval: CLOCK_MS,
    placeholderData: keepPreviousData,
  });

export const runPages = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: keys.runPages(filters),
    queryFn: ({ signal, pageParam }) => {
      const query = { ...filters, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) };
      return get("/api/runs", { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: (page: Runs) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

/** Counts for each value of a filter. */
export const facets = (filters: Filters) =>
  queryOptions({
    queryKey: keys.facets(filters),
    queryFn: ({ signal }) => get("/api/facets", { query: filters, signal }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

export const fetchRun = (id: string, signal?: AbortSignal) =>
  get("/api/runs/{run_id}", { path: { run_id: id }, ...(signal ? { signal } : {}) });

export const run = (id: string) =>
  queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => fetchRun(id, signal),
    refetchInterval: CLOCK_MS,
  });

const REVOKE_AFTER_MS = 60_000;

/** Saves a session as a file, by request because a link cannot send the secret of the session; returns what to tell the user. */
export async function exportSession(id: string, format: "json" | "jsonl" | "md" | "html"): Promise<string> {
  const options = { path: { session_id: id }, query: { format } };
  return saveResponse(await send("GET", "/api/sessions/{session_id}/export", options), `session.${format}`);
}

/** Saves a response as a file; returns what to tell the user. */
export async function saveResponse(response: Response, name: string): Promise<string> {
  const disposition = response.headers.get("Content-Disposition") ?? "";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = /filename="([^"]+)"/.exec(disposition)?.[1] ?? name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
  return `Exported ${link.download}`;
}
