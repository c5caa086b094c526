// Admin: health, doctor, database, imports, settings and the log.
import { queryOptions } from "@tanstack/react-query";
import { get, post } from "./client";
import { keys } from "./keys";
import { CLOCK_MS } from "./query-client";

export const health = () =>
  queryOptions({
    queryKey: keys.health(),
    queryFn: ({ signal }) => get("/api/admin/health", { signal }),
    refetchInterval: CLOCK_MS,
  });

export const doctor = () =>
  queryOptions({
    queryKey: keys.doctor(),
    queryFn: ({ signal }) => get("/api/admin/doctor", { signal }),
  });

/** The runs that would be marked as failed, checked now: a run may have died or finished since the page opened. */
export const deadRuns = () =>
  queryOptions({
    queryKey: keys.deadRuns(),
    queryFn: () => markDeadRuns(true),
    gcTime: 0,
    staleTime: 0,
  });

export const database = () =>
  queryOptions({
    queryKey: keys.database(),
    queryFn: ({ signal }) => get("/api/admin/database", { query: { sizes: true }, signal }),
  });

export const imports = () =>
  queryOptions({
    queryKey: keys.imports(),
    queryFn: ({ signal }) => get("/api/admin/imports", { signal }),
    // Progress counts change quickly while an import runs.
    refetchInterval: (query) => ((query.state.data?.work.length ?? 0) > 0 ? 500 : CLOCK_MS),
  });

export const prunePreview = (days: number | undefined, count: number | undefined) =>
  queryOptions({
    queryKey: keys.prunePreview(days ?? null, count ?? null),
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
    queryKey: keys.settings(),
    queryFn: ({ signal }) => get("/api/admin/settings", { signal }),
  });

export const logs = () =>
  queryOptions({
    queryKey: keys.logs(),
    queryFn: ({ signal }) => get("/api/admin/logs", { query: { lines: 200 }, signal }),
    refetchInterval: 3000,
  });

export const markDeadRuns = (dryRun: boolean) => post("/api/admin/doctor/transition", { body: { dry_run: dryRun } });
export const checkpoint = () => post("/api/admin/checkpoint", { body: { mode: "TRUNCATE" } });
export const vacuum = () => post("/api/admin/vacuum");
export const backup = () => post("/api/admin/backup", { body: {} });
