// Queries of the Usage page and of the numbers on Home.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, send } from "./client";
import { keys, type Schema } from "./keys";
import { CLOCK_MS } from "./query-client";
import { saveResponse } from "./runs";
import type { operations } from "./schema";

export type UsageQuery = NonNullable<operations["get_usage_api_usage_get"]["parameters"]["query"]>;
export type UsageReport = Schema<"UsageReport">;

export const usage = (query: UsageQuery) =>
  queryOptions({
    queryKey: keys.usage(query),
    queryFn: ({ signal }) => get("/api/usage", { query, signal }),
    refetchInterval: CLOCK_MS,
    // The page keeps its shape while another range is loading.
    placeholderData: keepPreviousData,
  });

/** The sums since several moments, for Home. */
export const usageSums = (since: number[]) =>
  queryOptions({
    queryKey: keys.usageSums(since),
    queryFn: async ({ signal }) => (await get("/api/usage/sums", { query: { since }, signal })).sums,
    refetchInterval: CLOCK_MS,
    placeholderData: keepPreviousData,
  });

/** Saves the same sums as a file; returns what to tell the user. */
export async function downloadUsage(query: UsageQuery): Promise<string> {
  return saveResponse(await send("GET", "/api/usage.csv", { query }), "usage.csv");
}

/** The time zone of this browser. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
