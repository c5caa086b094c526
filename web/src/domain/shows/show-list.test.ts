import { expect, test } from "vitest";
import { filterShows, listStates } from "./show-list";

const show = (topic: string, more: object = {}) => ({
  topic,
  goal: null,
  status: "active",
  updated_at: 1,
  plays_total: 4,
  plays_merged: 1,
  waits_for: [],
  usage: null,
  error: null,
  ...more,
});
const waiting = show("parser", { waits_for: [{ play: "docs", title: "docs is escalated: pandoc is missing" }] });
const done = show("lexer", { status: "completed", plays_merged: 4, usage: { total: 9, cost_microusd: 5 } });
const broken = show("old", { status: "unknown", error: "cannot be read" });

test("listStates counts, and lists what needs a person first", () => {
  expect(listStates([done, broken, waiting])[0]).toEqual({ value: "needs you", count: 1 });
  expect(listStates([done, broken, waiting]).map(({ value }) => value)).toEqual([
    "needs you",
    "completed",
    "unreadable",
  ]);
});

test("filterShows finds words in topic, goal and questions", () => {
  expect(filterShows([done, waiting], { q: "PANDOC docs" })).toEqual([waiting]);
  expect(filterShows([done, waiting], { q: "nothing" })).toEqual([]);
});

test("filterShows filters by state and keeps the order of the server without a sort", () => {
  expect(filterShows([waiting, done], { state: "completed" })).toEqual([done]);
  expect(filterShows([waiting, done], {})).toEqual([waiting, done]);
});

test("filterShows sorts by name, progress, cost and tokens", () => {
  for (const sort of ["topic", "progress", "cost", "tokens"] as const)
    expect(filterShows([waiting, done], { sort }).map(({ topic }) => topic)).toEqual(["lexer", "parser"]);
});
