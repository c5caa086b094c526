// Queries of the home page.
import { queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import { keys } from "./keys";
import { CLOCK_MS } from "./query-client";

export const dashboard = () =>
  queryOptions({
    queryKey: keys.dashboard(),
    queryFn: ({ signal }) => get("/api/dashboard", { signal }),
    refetchInterval: CLOCK_MS,
  });

export const attention = () =>
  queryOptions({
    queryKey: keys.attention(),
    queryFn: ({ signal }) => get("/api/attention", { signal }),
    refetchInterval: CLOCK_MS,
  });

export const stats = () =>
  queryOptions({ queryKey: keys.stats(), queryFn: ({ signal }) => get("/api/stats", { signal }) });
