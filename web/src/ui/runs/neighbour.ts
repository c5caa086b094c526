// The run before or after another one in a list.
import type { QueryClient } from "@tanstack/react-query";
import { get } from "@/api/client";
import { keys } from "@/api/keys";
import { type Filters, type Run, runPages } from "@/api/runs";
import type { Pages } from "./use-run-list";

const MOST_PAGES = 20;

/** The id of the next (1) or previous (-1) run; undefined at the ends of the list. */
export async function findNeighbour(
  queries: QueryClient,
  filters: Filters,
  run: Pick<Run, "id" | "created_at">,
  step: 1 | -1,
): Promise<string | undefined> {
  let pages: Pages = await queries.ensureInfiniteQueryData(runPages(filters));
  for (let turn = 0; turn < MOST_PAGES; turn++) {
    const ids = pages.pages.flatMap((page) => page.runs.map(({ id }) => id));
    const at = ids.indexOf(run.id);
    const found = at < 0 ? undefined : ids[at + step];
    if (found !== undefined || (at >= 0 && step === -1)) return found;
    if (at < 0) break;
    const cursor = pages.pages.at(-1)?.next_cursor;
    if (!cursor) return undefined;
    const next = await get("/api/runs", { query: { ...filters, limit: 100, cursor } });
    pages = { pages: [...pages.pages, next], pageParams: [...pages.pageParams, cursor] };
    queries.setQueryData<Pages>(keys.runPages(filters), pages);
  }
  return neighbourInTime(filters, run, step);
}

/** For a run that is not in the list as far as it was read: the one created before or after it. */
async function neighbourInTime(
  { sort: _, order: __, ...filters }: Filters,
  run: Pick<Run, "id" | "created_at">,
  step: 1 | -1,
): Promise<string | undefined> {
  const query =
    step === 1
      ? { ...filters, until: run.created_at, limit: 1 }
      : { ...filters, since: run.created_at, sort: "created" as const, order: "asc" as const, limit: 2 };
  const { runs } = await get("/api/runs", { query });
  return runs.find(({ id }) => id !== run.id)?.id;
}
