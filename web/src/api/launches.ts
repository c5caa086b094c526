// Processes that Studio starts: agents, imports, prunes.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { lastLine } from "@/domain/actions";
import { get, post, remove } from "./client";
import { keys, type Schema } from "./keys";
import { onChanges } from "./live/feed";

export type Launch = Schema<"LaunchView">;

export const launches = () =>
  queryOptions({
    queryKey: keys.launches(),
    queryFn: ({ signal }) => get("/api/launches", { signal }),
    refetchInterval: 3000,
  });

/** What can be started from a folder; without one, from that of the newest run. */
export const launchChoices = (folder: string) =>
  queryOptions({
    queryKey: keys.launchChoices(folder),
    queryFn: ({ signal }) => get("/api/launches/choices", { query: folder ? { folder } : {}, signal }),
    placeholderData: keepPreviousData,
  });

/** The request of a run, to start it again. */
export const runRequest = (runId: string) =>
  queryOptions({
    queryKey: keys.runRequest(runId),
    queryFn: ({ signal }) => get("/api/runs/{run_id}/request", { path: { run_id: runId }, signal }),
    enabled: runId !== "",
    staleTime: Number.POSITIVE_INFINITY,
  });

export const fetchLaunch = (id: string, signal?: AbortSignal) =>
  get("/api/launches/{launch_id}", { path: { launch_id: id }, ...(signal ? { signal } : {}) });

export const launch = (id: string, running: boolean) =>
  queryOptions({
    queryKey: keys.launch(id),
    queryFn: ({ signal }) => fetchLaunch(id, signal),
    refetchInterval: running ? 1000 : false,
  });

export const startLaunch = (body: Schema<"NewLaunch">) => post("/api/launches", { body });

export const stopLaunch = (id: string) => remove("/api/launches/{launch_id}", { path: { launch_id: id } });

const POLL_MS = 500;
const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS));
const TIMEOUT_MS = 30_000;

/** Starts an agent and waits until its run is in the database; throws when the process fails before that. */
export async function startRun(body: Schema<"NewLaunch">): Promise<Launch> {
  const recorded = new Set<string>();
  // Subscribed before the request: the run may be recorded before the response arrives.
  const unsubscribe = onChanges((changes) => {
    for (const { entity, entity_id } of changes) if (entity === "session") recorded.add(entity_id);
  });
  try {
    const { launch: started } = await startLaunch(body);
    const deadline = Date.now() + TIMEOUT_MS;
    while (!recorded.has(started.session_id ?? "")) {
      const { launch: now, output } = await fetchLaunch(started.id);
      if (!now.running && now.exit_code) throw new Error(output.trim() || `li exited with ${now.exit_code}`);
      // A process that already succeeded has recorded its run, whether or not the feed reported it.
      if (!now.running || Date.now() > deadline) break;
      await pause();
    }
    return started;
  } finally {
    unsubscribe();
  }
}

/** Waits for a process to exit and resolves with the last line of its output; throws when it failed. */
export async function waitForLaunch(id: string): Promise<string> {
  for (;;) {
    const { launch: now, output } = await fetchLaunch(id);
    if (!now.running && now.exit_code) throw new Error(lastLine(output) || `li exited with ${now.exit_code}`);
    if (!now.running) return lastLine(output) || "Done";
    await pause();
  }
}
