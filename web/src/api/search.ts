// Messages of every run that match, by run; what a search can be narrowed by; and things by name, for the palette.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import { keys, type Schema } from "./keys";
import type { operations } from "./schema";

export type Hit = Schema<"HitView">;
export type RunHits = Schema<"RunHitsView">;
export type SearchMode = Schema<"SearchMode">;
export type SearchQuery = Omit<
  NonNullable<operations["search_messages_api_search_get"]["parameters"]["query"]>,
  "group" | "limit" | "per_run" | "below" | "max_chars"
>;

const RUNS = 20;
const HITS_OF_A_RUN = 3;
const MAX_CHARS = 280;
/** The most messages of one run that a search lists. */
export const MAX_OF_A_RUN = 200;

const isSearch = ({ q, file }: SearchQuery): boolean => Boolean(q || file);

export const searchRuns = (query: SearchQuery) =>
  infiniteQueryOptions({
    queryKey: keys.search(query),
    queryFn: ({ signal, pageParam }) =>
      get("/api/search", {
        query: {
          ...query,
          group: true,
          limit: RUNS,
          per_run: HITS_OF_A_RUN,
          max_chars: MAX_CHARS,
          ...(pageParam === null ? {} : { below: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    enabled: isSearch(query),
    placeholderData: keepPreviousData,
  });

/** All matching messages of one run, up to the most that are listed. */
export const searchRun = (query: SearchQuery, session: string) =>
  queryOptions({
    queryKey: keys.search({ ...query, session }),
    queryFn: async ({ signal }) => {
      const sizes = { group: true, limit: 1, per_run: MAX_OF_A_RUN, max_chars: MAX_CHARS };
      return (await get("/api/search", { query: { ...query, session, ...sizes }, signal })).runs[0]?.hits ?? [];
    },
  });

export const searchFilters = () =>
  queryOptions({
    queryKey: keys.searchFilters(),
    queryFn: ({ signal }) => get("/api/search/filters", { signal }),
    staleTime: 60_000,
  });

export type FoundName = Schema<"NameView">;

export const findNames = (q: string) =>
  queryOptions({
    queryKey: keys.find(q),
    queryFn: ({ signal }) => get("/api/find", { query: { q }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
