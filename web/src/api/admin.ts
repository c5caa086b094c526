// Admin: health, doctor, database, imports, settings and the log.
import { queryOptions } from "@tanstack/react-query";
import { get, post, put } from "./client";
import { keys, type Schema } from "./keys";
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

/** Those of these runs that would be marked as failed, checked now: one may have finished since the page opened. */
export const deadRuns = (sessionIds: string[]) =>
  queryOptions({
    queryKey: keys.deadRuns(sessionIds),
    queryFn: () => markDeadRuns(true, sessionIds),
    gcTime: 0,
    staleTime: 0,
  });

export const database = () =>
  queryOptions({
    queryKey: keys.database(),
    queryFn: ({ signal }) => get("/api/admin/database", { query: { sizes: true }, signal }),
  });

const isSwitching = ({ enabled, tools }: Schema<"FollowerView">): boolean =>
  enabled ? tools.length === 0 : tools.some((tool) => tool.is_ours);

export const imports = () =>
  queryOptions({
    queryKey: keys.imports(),
    queryFn: ({ signal }) => get("/api/admin/imports", { signal }),
    // Progress counts change quickly while an import runs, and the follower starts and stops within a second.
    refetchInterval: ({ state: { data } }) =>
      data && (data.work.length > 0 || isSwitching(data.follower)) ? 500 : CLOCK_MS,
  });

/** The sessions of other programs on this machine. */
export const history = () =>
  queryOptions({
    queryKey: keys.history(),
    queryFn: ({ signal }) => get("/api/admin/history", { signal }),
  });

export const prunePreview = (days: number | undefined, count: number | undefined, messages: boolean) =>
  queryOptions({
    queryKey: keys.prunePreview(days ?? null, count ?? null, messages),
    queryFn: ({ signal }) => {
      const query = {
        orphans: messages,
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

/** The runs that are stored twice. */
export const doubles = () =>
  queryOptions({
    queryKey: keys.doubles(),
    queryFn: ({ signal }) => get("/api/admin/doctor/doubles", { signal }),
  });

export const markDeadRuns = (dryRun: boolean, sessionIds: string[]) =>
  post("/api/admin/doctor/transition", { body: { dry_run: dryRun, session_ids: sessionIds } });

/** Changes a setting in config.toml of the home; null removes it. */
export const changeSetting = (name: string, value: string | null) =>
  put("/api/admin/settings/{name}", { path: { name }, body: { value } });
export const checkpoint = () => post("/api/admin/checkpoint", { body: { mode: "TRUNCATE" } });
export const vacuum = () => post("/api/admin/vacuum");
export const backup = () => post("/api/admin/backup", { body: {} });

/** Starts or stops importing transcripts as they are written, until Studio restarts. */
export const switchFollowing = (enabled: boolean) => post("/api/admin/follow", { body: { enabled } });
