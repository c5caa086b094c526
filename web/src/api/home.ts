// Queries of the home page.
import { queryOptions } from "@tanstack/react-query";
import { get, post, remove } from "./client";
import { keys, type Schema } from "./keys";
import { CLOCK_MS } from "./query-client";

export const dashboard = () =>
  queryOptions({
    queryKey: keys.dashboard(),
    queryFn: ({ signal }) => get("/api/dashboard", { signal }),
    refetchInterval: CLOCK_MS,
  });

export type AttentionItem = Schema<"Waiting">;

export const attention = () =>
  queryOptions({
    queryKey: keys.attention(),
    queryFn: async ({ signal }) => (await get("/api/attention", { signal })).items,
    refetchInterval: CLOCK_MS,
  });

export const stats = () =>
  queryOptions({ queryKey: keys.stats(), queryFn: ({ signal }) => get("/api/stats", { signal }) });

/** The first run by a sum since a time; read once a minute, because the server sorts for it. */
export const topRun = (sort: "duration" | "cost", since: number) =>
  queryOptions({
    queryKey: keys.topRun(sort, since),
    queryFn: async ({ signal }) =>
      (await get("/api/runs", { query: { sort, since, limit: 1 }, signal })).runs[0] ?? null,
    staleTime: 60_000,
    refetchInterval: 60_000,
  });

/** Hides an attention item until its status changes or for a time, or lists it again. */
export const dismissItem = (id: string) => post("/api/attention/{item_id}/dismiss", { path: { item_id: id } });
export const snoozeItem = (id: string, seconds: number) =>
  post("/api/attention/{item_id}/snooze", { path: { item_id: id }, body: { seconds } });
export const restoreItem = (id: string) => remove("/api/attention/{item_id}/dismiss", { path: { item_id: id } });
