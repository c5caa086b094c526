import { expect, test } from "vitest";
import { type Change, QUERY_ROOTS, staleQueries } from "./changes";

const change = (entity: string, parent: string | null = null): Change => ({
  seq: 1,
  at: 0,
  kind: "updated",
  entity,
  entity_id: "e",
  parent_id: parent,
  ord: null,
});

test("staleQueries of a message are its run and the lists with counts", () => {
  expect(staleQueries(change("message", "r"))).toEqual([{ root: "runs" }, { root: "run", id: "r" }]);
});

test.each(["session", "message", "branch", "show", "play", "team", "team_message", "definition", "worker", "order"])(
  "staleQueries of a %s use known roots",
  (entity) => {
    const roots = staleQueries(change(entity, "p"));
    expect(roots.length).toBeGreaterThan(0);
    for (const concern of roots) expect(QUERY_ROOTS).toContain(concern.root);
  },
);

test("staleQueries of an unknown entity are empty", () => expect(staleQueries(change("comet"))).toEqual([]));
