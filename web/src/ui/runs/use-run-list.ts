// The rows of a list of runs. The newest page follows the feed; rows below it keep their place and are updated in place.
// New rows wait until the user asks for them or is at the top of the list.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { get } from "@/api/client";
import { keys } from "@/api/keys";
import { onChanges } from "@/api/live/feed";
import { type Filters, newestRuns, type Run, type Runs, runPages } from "@/api/runs";

export interface Pages {
  pages: Runs[];
  pageParams: string[];
}

export function useRunList(filters: Filters) {
  const queries = useQueryClient();
  const pages = useInfiniteQuery(runPages(filters));
  const head = useQuery(newestRuns(filters));
  // While a new filter loads, the old page stands in for the total; its rows do not belong to this list.
  const newest = head.isPlaceholderData ? undefined : head.data;
  const runs = useMemo(() => mergeRows(pages.data?.pages ?? [], newest), [pages.data, newest]);
  const byDate = filters.sort === undefined || filters.sort === "created";
  const added = useMemo(() => findNewRuns(pages.data?.pages ?? [], newest, byDate), [pages.data, newest, byDate]);
  useRowUpdates(filters);
  const showNew = (): void => {
    if (!newest) return;
    queries.setQueryData<Pages>(keys.runPages(filters), { pages: [newest], pageParams: [""] });
  };
  // An empty list has no rows that could move.
  const isFirst = runs.length === 0 && added.length > 0;
  const showFirst = useEffectEvent(showNew);
  useEffect(() => {
    if (isFirst) showFirst();
  }, [isFirst]);
  return {
    runs,
    newCount: added.length,
    showNew,
    loading: pages.isPending,
    error: pages.error,
    retry: () => void pages.refetch(),
    hasMore: pages.hasNextPage,
    more: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
  };
}

export type RunListing = ReturnType<typeof useRunList>;

/** The pages as they were read, with newer versions of their rows from the newest page. */
export function mergeRows(pages: Runs[], head: Runs | undefined): Run[] {
  const better = new Map(head?.runs.map((run) => [run.id, run]));
  const seen = new Set<string>();
  const rows: Run[] = [];
  for (const run of pages.flatMap((page) => page.runs)) {
    if (seen.has(run.id)) continue;
    seen.add(run.id);
    rows.push(better.get(run.id) ?? run);
  }
  return rows;
}

/** Runs of the first page that are not shown: those above the first row, or in another order any that came in. */
export function findNewRuns(pages: Runs[], head: Runs | undefined, byDate = true): Run[] {
  if (!head || pages.length === 0) return [];
  const shown = new Set(pages.flatMap((page) => page.runs.map((run) => run.id)));
  const first = pages[0]?.runs[0]?.created_at ?? 0;
  return head.runs.filter((run) => !shown.has(run.id) && (!byDate || run.created_at >= first));
}

/** Refetches single rows below the newest page when they change. */
function useRowUpdates(filters: Filters): void {
  const queries = useQueryClient();
  const waiting = useRef(new Set<string>());
  useEffect(() => {
    const key = keys.runPages(filters);
    return onChanges((changes) => {
      const rows = queries.getQueryData<Pages>(key)?.pages.flatMap((page) => page.runs) ?? [];
      const shown = new Set(rows.slice(100).map((run) => run.id));
      for (const change of changes) {
        const id = change.entity === "session" ? change.entity_id : change.parent_id;
        if (!id || !shown.has(id) || waiting.current.has(id)) continue;
        waiting.current.add(id);
        void get("/api/sessions/{session_id}", { path: { session_id: id } })
          .then(({ session }) => queries.setQueryData<Pages>(key, (old) => old && replaceRun(old, session)))
          .catch(() => {}) // deleted or unreachable: the row stays as it was read
          .finally(() => setTimeout(() => waiting.current.delete(id), 1000));
      }
    });
  }, [queries, filters]);
}

export function withoutRuns(old: Pages, ids: ReadonlySet<string>): Pages {
  const pages = old.pages.map((page) => ({ ...page, runs: page.runs.filter((run) => !ids.has(run.id)) }));
  return { ...old, pages };
}

function replaceRun(old: Pages, run: Run): Pages {
  const pages = old.pages.map((page) => ({
    ...page,
    runs: page.runs.map((other) => (other.id === run.id ? run : other)),
  }));
  return { ...old, pages };
}
