// Labels that people give a run (name, note, tags), the totals of a list, and the deletion of runs.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, remove, send } from "../client";
import { type Filters, keys, type Schema } from "../keys";

export const STARRED = "starred";

export async function labelRun(id: string, labels: Schema<"RunLabels">): Promise<void> {
  await send("PATCH", "/api/runs/{run_id}", { path: { run_id: id }, body: labels });
}

export const deleteRun = (id: string) => remove("/api/runs/{run_id}", { path: { run_id: id } });

/** The number of runs under filters, with their tokens and costs. */
export const totals = (filters: Filters) =>
  queryOptions({
    queryKey: keys.totals(filters),
    queryFn: ({ signal }) => get("/api/totals", { query: filters, signal }),
    placeholderData: keepPreviousData,
  });
