import { expect, test } from "vitest";
import type { TranscriptMessage } from "../transcript/message-entry";
import type { Outline } from "../transcript/outline";
import { compareFacts, compareFiles, compareTools, firstDifference } from "./compare";

const outline = (calls: Outline["tools"], paths: string[]): Outline => ({
  seq: 1,
  session_id: "s",
  errors: [],
  users: [],
  tools: calls,
  files: paths.map((path) => ({ path, calls: 1, tools: [], first_ord: 0, last_ord: 0 })),
  last_ord: null,
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
      ],
      [
        ["Model", "m"],
        ["Cost", "$2"],
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
