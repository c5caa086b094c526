// The results as rows: a heading for each run, its first messages, and the rest when it is opened.
import { useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Hit, MAX_OF_A_RUN, type RunHits, type SearchQuery, searchRun, searchRuns } from "@/api/search";
import { spanStart } from "@/domain/runs/filters";
import { useMode } from "./mode-select";
import type { SearchParams } from "./route";

export type Row =
  | { kind: "run"; run: RunHits }
  | { kind: "hit"; run: RunHits; hit: Hit }
  | { kind: "more"; run: RunHits; count: number; open: () => void }
  | { kind: "rest"; run: RunHits; count: number };

export function useResults(search: SearchParams) {
  const { mode, refused } = useMode(search.mode);
  const query = toQuery(search, mode);
  const results = useInfiniteQuery(searchRuns(query));
  const [opened, setOpened] = useState<readonly string[]>([]);
  const whole = useQueries({ queries: opened.map((session) => searchRun(query, session)) });
  const wholeHits = whole.map(({ data }) => data);
  const first = results.data?.pages[0];
  const runs = useMemo(() => onlyOnce(results.data?.pages.flatMap((page) => page.runs) ?? []), [results.data]);
  const rows = runs.flatMap((run): Row[] => {
    const id = run.session_id;
    const hits = (id === null ? undefined : wholeHits[opened.indexOf(id)]) ?? run.hits;
    const left = Math.max(0, run.count - hits.length);
    return [
      { kind: "run", run },
      ...hits.map((hit) => ({ kind: "hit" as const, run, hit })),
      ...(left === 0 || id === null
        ? []
        : hits.length >= MAX_OF_A_RUN
          ? [{ kind: "rest" as const, run, count: left }]
          : [{ kind: "more" as const, run, count: left, open: () => setOpened((old) => [...old, id]) }]),
    ];
  });
  return { results, rows, runs: runs.length, total: first?.total ?? 0, more: first?.more ?? false, refused };
}

function toQuery(search: SearchParams, mode: SearchQuery["mode"]): SearchQuery {
  const { q, order, run, within, role, tool, file, agent, status, project } = search;
  return {
    q: q ?? "",
    mode,
    ranked: order === "best",
    role,
    tool,
    file,
    agent,
    status,
    project,
    session: run,
    since: within && spanStart(within),
  };
}

/** A later page may list a run again, with older messages that the first one has counted. */
function onlyOnce(runs: RunHits[]): RunHits[] {
  const known = new Set<string | null>();
  return runs.filter(({ session_id }) => {
    if (known.has(session_id)) return false;
    known.add(session_id);
    return true;
  });
}
