import { expect, test } from "vitest";
import type { TranscriptMessage } from "../transcript/message-entry";
import type { Outline } from "../transcript/outline";
import { afterShared, compareChanges, compareFacts, compareFiles, compareTools, firstDifference } from "./compare";

const outline = (calls: Outline["tools"], paths: string[]): Outline => ({
  seq: 1,
  session_id: "s",
  kinds: "",
  lanes: [],
  contexts: [],
  errors: [],
  users: [],
  tools: calls,
  files: paths.map((path) => ({ path, calls: 1, tools: [], first_ord: 0, last_ord: 0 })),
  last_ord: null,
  has_more: false,
});
const a = outline({ Bash: { calls: 5, errors: 1 }, Read: { calls: 1, errors: 0 } }, ["x", "both"]);
const b = outline({ Bash: { calls: 5, errors: 1 }, Edit: { calls: 9, errors: 0 } }, ["both", "y"]);

function said(id: string, content: unknown): TranscriptMessage {
  return { ord: 0, id, branch_id: null, missing: false, created_at: 1, size: 0, cut: null, content };
}

test("compare marks facts, tools and files that differ", () => {
  expect(
    compareFacts(
      [
        ["Model", "m"],
        ["Cost", "$1"],
        ["Playbook", ""],
      ],
      [
        ["Model", "m"],
        ["Cost", "$2"],
        ["Playbook", ""],
      ],
    ).map((each) => each.differs),
  ).toEqual([false, true]);
  expect(compareTools(a, b).map(({ name, differs }) => [name, differs])).toEqual([
    ["Bash", false],
    ["Edit", true],
    ["Read", true],
  ]);
  expect(compareFiles(a, b).map(({ name, differs }) => [name, differs])).toEqual([
    ["x", true],
    ["y", true],
    ["both", false],
  ]);
});

test("firstDifference finds the first other message or the end of one run", () => {
  const go = (id: string) => said(id, { instruction: "go" });
  const call = (id: string, command: string) => said(id, { function: "Bash", arguments: { command } });
  expect(firstDifference([go("1"), call("2", "ls")], [go("8"), call("9", "pwd")])).toBe(1);
  expect(firstDifference([go("1")], [go("8"), call("9", "ls")])).toBe(1);
  expect(firstDifference([go("1"), call("2", "ls")], [go("8"), call("9", "ls")])).toBeUndefined();
});

test("afterShared counts the inherited messages of a fork as common", () => {
  const run = (id: string, ...inherited: [session: string, last: number][]) => ({
    session: { id },
    branches: [
      {
        inherited: inherited.map(([session_id, last_ord]) => ({
          branch_id: `${session_id}.main`,
          session_id,
          last_ord,
        })),
      },
    ],
  });
  const own = (id: string) => ({ of: "session", id, from: 0, end: Number.POSITIVE_INFINITY });
  const after = (id: string, from: number, end = Number.POSITIVE_INFINITY) => ({ of: "branch", id, from, end });
  expect(afterShared(run("p"), run("f", ["p", 4]))).toEqual({ shared: 5, a: [after("p.main", 5)], b: [own("f")] });
  expect(afterShared(run("f", ["p", 4]), run("g", ["p", 2]))).toEqual({
    shared: 3,
    a: [after("p.main", 3, 5), own("f")],
    b: [own("g")],
  });
  expect(afterShared(run("f", ["p", 4]), run("g", ["p", 4]))).toEqual({ shared: 5, a: [own("f")], b: [own("g")] });
  expect(afterShared(run("a"), run("b", ["c", 1]))).toMatchObject({ shared: 0, a: [own("a")] });
  expect(afterShared(run("a"), run("a")).shared).toBe(0);
});

test("compareChanges shows the files of one run only first", () => {
  const file = (path: string, added: number) => ({ path, added, removed: 0, is_partial: false });
  const rows = compareChanges([file("a", 1), file("same", 2)], [file("b", 3), file("same", 2)]);
  expect(rows.map(({ name, a, b, differs }) => [name, a?.added, b?.added, differs])).toEqual([
    ["a", 1, undefined, true],
    ["b", undefined, 3, true],
    ["same", 2, 2, false],
  ]);
});
