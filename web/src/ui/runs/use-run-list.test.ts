import { expect, test } from "vitest";
import { apiFilters, validateSearch } from "@/api/run-list/search";
import type { Run, Runs } from "@/api/runs";
import { findNewRuns, mergeRows } from "./use-run-list";

const run = (id: string, created_at: number, name = id): Run => ({ id, created_at, name }) as unknown as Run;
const page = (...runs: Run[]): Runs => ({ runs, next_cursor: null, counts: {}, seq: 1 }) as unknown as Runs;

test("mergeRows updates rows in place", () => {
  const pages = [page(run("b", 2), run("a", 1)), page(run("a", 1), run("0", 0))];
  const head = page(run("c", 3), run("b", 2, "new name"));
  expect(mergeRows(pages, head).map((each) => each.name)).toEqual(["new name", "a", "0"]);
});

test("findNewRuns reports only runs above the first row", () => {
  const pages = [page(run("b", 2))];
  expect(findNewRuns(pages, page(run("c", 3), run("b", 2), run("old", 1))).map((each) => each.id)).toEqual(["c"]);
  expect(findNewRuns([], page(run("c", 3)))).toEqual([]);
  expect(findNewRuns([page()], page(run("c", 3))).map((each) => each.id)).toEqual(["c"]);
});

test("apiFilters keeps a relative time stable for a minute", () => {
  expect(apiFilters({ within: "1h", q: "x" }, 7260)).toEqual({ q: "x", since: 3660 });
  expect(apiFilters({ within: "1h" }, 7261)).toEqual(apiFilters({ within: "1h" }, 7319));
  expect(validateSearch({ within: "never" })).toEqual({});
});
