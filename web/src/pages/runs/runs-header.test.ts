import { expect, test } from "vitest";
import { nextOrder } from "./runs-header";

test("nextOrder goes from the largest to the smallest and back to newest first", () => {
  expect(nextOrder("cost", {})).toEqual({ sort: "cost" });
  expect(nextOrder("cost", { sort: "cost" })).toEqual({ sort: "cost", order: "asc" });
  expect(nextOrder("cost", { sort: "cost", order: "asc" })).toEqual({});
});

test("nextOrder starts names at A, and other columns anew", () => {
  expect(nextOrder("name", { sort: "cost" })).toEqual({ sort: "name", order: "asc" });
  expect(nextOrder("name", { sort: "name", order: "asc" })).toEqual({ sort: "name", order: "desc" });
  expect(nextOrder("created", {})).toEqual({ sort: "created", order: "asc" });
});
