// Shows, their plays, attempts and diffs, actions on them, and the workers that carry them out.
import { queryOptions } from "@tanstack/react-query";
import { get, post, remove } from "./client";
import { keys, type Schema } from "./keys";
import { CLOCK_MS } from "./query-client";

export type ShowListed = Schema<"ShowListed">;
export type Show = Schema<"ShowView">;
export type Play = Schema<"PlayView">;
export type Attempt = Schema<"Attempt">;
export type PlayBars = Schema<"PlayBars">;
export type Decision = Schema<"DecisionView">;
export type PlayChanges = Schema<"PlayChanges">;
export type Diff = Schema<"DiffView">;
export type ActionRequest = Schema<"DecisionRequest">;
export type ShowAction = Schema<"ActionView">;
export type Worker = Schema<"WorkerView">;
export type HeldOrder = Schema<"HeldOrderView">;
export type WaitingOrder = Schema<"WaitingOrder">;

export const shows = () =>
  queryOptions({
    queryKey: keys.shows(),
    queryFn: ({ signal }) => get("/api/shows", { signal }),
    refetchInterval: CLOCK_MS,
  });

export const show = (topic: string) =>
  queryOptions({
    queryKey: keys.show(topic),
    queryFn: ({ signal }) => get("/api/shows/{topic}", { path: { topic }, signal }),
    refetchInterval: CLOCK_MS,
  });

/** The attempts of every play with their phases. */
export const showTimeline = (topic: string) =>
  queryOptions({
    queryKey: keys.showTimeline(topic),
    queryFn: ({ signal }) => get("/api/shows/{topic}/timeline", { path: { topic }, signal }),
  });

/** Who decided what, newest first. */
export const showDecisions = (topic: string) =>
  queryOptions({
    queryKey: keys.showDecisions(topic),
    queryFn: ({ signal }) => get("/api/shows/{topic}/decisions", { path: { topic }, signal }),
  });

/** Changed files and lines by play. */
export const showChanges = (topic: string) =>
  queryOptions({
    queryKey: keys.showChanges(topic),
    queryFn: ({ signal }) => get("/api/shows/{topic}/changes", { path: { topic }, signal }),
  });

export const play = (topic: string, name: string) =>
  queryOptions({
    queryKey: keys.play(topic, name),
    queryFn: ({ signal }) => get("/api/shows/{topic}/plays/{name}", { path: { topic, name }, signal }),
  });

export const attempts = (topic: string, name: string) =>
  queryOptions({
    queryKey: keys.attempts(topic, name),
    queryFn: ({ signal }) => get("/api/shows/{topic}/plays/{name}/attempts", { path: { topic, name }, signal }),
  });

/** The diff of a play: of its branch, of one attempt, or between two attempts. */
export const diff = (topic: string, name: string, attempt?: number, against?: number) =>
  queryOptions({
    queryKey: keys.diff(topic, name, attempt ?? null, against ?? null),
    queryFn: ({ signal }) => {
      const query = { ...(attempt ? { attempt } : {}), ...(against ? { against } : {}) };
      return get("/api/shows/{topic}/plays/{name}/diff", { path: { topic, name }, query, signal });
    },
  });

export const performAction = (topic: string, body: ActionRequest) =>
  post("/api/shows/{topic}/actions", { path: { topic }, body });

/** A heartbeat is not a change in the feed, so the time of the last one is fetched by the clock. */
const BEAT_MS = 5_000;

/** Workers of the hub, and the orders that wait for one. */
export const workers = () =>
  queryOptions({
    queryKey: keys.workers(),
    queryFn: ({ signal }) => get("/api/workers", { signal }),
    refetchInterval: BEAT_MS,
  });

export const drainWorker = (id: string) => post("/api/workers/{worker_id}/drain", { path: { worker_id: id } });

export const undrainWorker = (id: string) => remove("/api/workers/{worker_id}/drain", { path: { worker_id: id } });

export const removeWorker = (id: string) => remove("/api/workers/{worker_id}", { path: { worker_id: id } });
