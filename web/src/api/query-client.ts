// The one cache of what the server said. Changes arrive by the feed, so nothing is fetched again for its age alone,
// but for what the clock changes (stale, idle): those queries name an interval.
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
