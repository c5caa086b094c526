// Search over the messages of every run.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./client";
import { keys, type Schema } from "./keys";

export type Hit = Schema<"Hit">;
export interface Sought {
  q: string;
  mode: "words" | "semantic" | "hybrid";
  ranked: boolean;
  project?: string | undefined;
  session?: string | undefined;
  since?: number | undefined;
}

const MOST = 100;

export const searchHits = (sought: Sought) =>
  queryOptions({
    queryKey: [...keys.search(sought.q), sought] as const,
    queryFn: ({ signal }) => {
      const { project, session, since, ...rest } = sought;
      const query = {
        ...rest,
        limit: MOST,
        max_chars: 280,
        ...(project ? { project } : {}),
        ...(session ? { session } : {}),
        ...(since ? { since } : {}),
      };
      return get("/api/search", { query, signal });
    },
    enabled: sought.q !== "",
    placeholderData: keepPreviousData,
  });
