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

test("a message concerns its run and the lists that count it, and nothing else", () => {
  expect(staleQueries(change("message", "r"))).toEqual([{ root: "runs" }, { root: "run", id: "r" }]);
});

test.each(["session", "message", "branch", "show", "play", "team", "team_message", "definition"])(
  "a change of a %s concerns known roots",
  (entity) => {
    const found = staleQueries(change(entity, "p"));
    expect(found.length).toBeGreaterThan(0);
    for (const concern of found) expect(QUERY_ROOTS).toContain(concern.root);
  },
);

test("what nobody knows concerns nobody", () => expect(staleQueries(change("comet"))).toEqual([]));
