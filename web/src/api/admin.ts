// Looking after the database: what is found, what would happen, and doing it.
import { queryOptions } from "@tanstack/react-query";
import { get, post } from "./client";
import { keys } from "./keys";
import { CLOCK_MS } from "./query-client";

export const health = () =>
  queryOptions({
    queryKey: keys.admin("health"),
    queryFn: ({ signal }) => get("/api/admin/health", { signal }),
    refetchInterval: CLOCK_MS,
  });

export const doctor = () =>
  queryOptions({
    queryKey: keys.admin("doctor"),
    queryFn: ({ signal }) => get("/api/admin/doctor", { signal }),
  });

export const database = () =>
  queryOptions({
    queryKey: keys.admin("database"),
    queryFn: ({ signal }) => get("/api/admin/database", { query: { sizes: true }, signal }),
  });

export const imports = () =>
  queryOptions({
    queryKey: keys.admin("imports"),
    queryFn: ({ signal }) => get("/api/admin/imports", { signal }),
    // A count that moves is worth looking at twice a second, one that rests is not.
    refetchInterval: (query) => ((query.state.data?.work.length ?? 0) > 0 ? 500 : CLOCK_MS),
  });

export const prunePreview = (days: number | undefined, count: number | undefined) =>
  queryOptions({
    queryKey: [...keys.admin("prune"), days ?? null, count ?? null] as const,
    queryFn: ({ signal }) => {
      const query = {
        ...(days === undefined ? {} : { keep_days: days }),
        ...(count === undefined ? {} : { keep_n: count }),
      };
      return get("/api/admin/prune", { query, signal });
    },
  });

export const settings = () =>
  queryOptions({
    queryKey: keys.admin("settings"),
    queryFn: ({ signal }) => get("/api/admin/settings", { signal }),
  });

export const logs = () =>
  queryOptions({
    queryKey: keys.admin("logs"),
    queryFn: ({ signal }) => get("/api/admin/logs", { query: { lines: 200 }, signal }),
    refetchInterval: 3000,
  });

export const launches = () =>
  queryOptions({
    queryKey: keys.launches(),
    queryFn: ({ signal }) => get("/api/launches", { signal }),
    refetchInterval: 3000,
  });

export const transitionStale = (dryRun: boolean) =>
  post("/api/admin/doctor/transition", { body: { dry_run: dryRun } });
export const checkpoint = () => post("/api/admin/checkpoint", { body: { mode: "TRUNCATE" } });
export const vacuum = () => post("/api/admin/vacuum");
export const backup = () => post("/api/admin/backup", { body: {} });
export const launch = (verb: string, target: string, options: Record<string, number> = {}) =>
  post("/api/launches", { body: { verb, target, prompt: "", options } });
