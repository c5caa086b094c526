// The cache of server state. The change feed invalidates it, so age alone never causes a refetch. States that depend on
// the clock (stale, idle) set `refetchInterval: CLOCK_MS`.
import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";

export const CLOCK_MS = 30_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 60_000,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => error instanceof ApiError && error.retryable && failures < 4,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 5000),
      },
    },
  });
}
