import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import { keys, type Schema } from "./keys";

export type Hit = Schema<"HitView">;
export interface SearchQuery {
  q: string;
  mode: "words" | "semantic" | "hybrid";
  ranked: boolean;
  project?: string | undefined;
  session?: string | undefined;
  since?: number | undefined;
}

export const MAX_HITS = 100;

export const searchHits = (searchQuery: SearchQuery) =>
  queryOptions({
    queryKey: keys.search(searchQuery),
    queryFn: ({ signal }) => {
      const { project, session, since, ...rest } = searchQuery;
      const query = {
        ...rest,
        limit: MAX_HITS,
        max_chars: 280,
        ...(project ? { project } : {}),
        ...(session ? { session } : {}),
        ...(since ? { since } : {}),
      };
      return get("/api/search", { query, signal });
    },
    enabled: searchQuery.q !== "",
    placeholderData: keepPreviousData,
  });
