// The processes that were started in this browser and whose end is still to be announced; a reload keeps them.
import { createStore } from "@/api/store";

const KEY = "lion-jobs";
const MAX_JOBS = 50;

interface StartedJob {
  id: string;
  /** When it was started, in milliseconds. */
  at: number;
}

function stored(): readonly StartedJob[] {
  try {
    const jobs: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(jobs) ? jobs.filter((job) => typeof job?.id === "string").slice(-MAX_JOBS) : [];
  } catch {
    return [];
  }
}

export const startedJobs = createStore<readonly StartedJob[]>(stored());

function set(jobs: readonly StartedJob[]): void {
  startedJobs.set(jobs);
  localStorage.setItem(KEY, JSON.stringify(jobs));
}

/** Announces the end of a process with a notification. */
export const announceEnd = (id: string): void => set([...startedJobs.get(), { id, at: Date.now() }]);
export const forgetJobs = (ids: readonly string[]): void =>
  set(startedJobs.get().filter(({ id }) => !ids.includes(id)));
