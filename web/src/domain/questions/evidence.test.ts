import { expect, test } from "vitest";
import { countChanges } from "../text/patch";
import { parseArguments, readEvidence } from "./evidence";

const lines = (evidence: Record<string, unknown>): string[] =>
  readEvidence(evidence, "").diffs.flatMap((diff) => diff.lines.map(({ text }) => text));

test("readEvidence finds the command, its description and the folder", () => {
  const args = { command: "npm test", description: "Run the tests", timeout: 5 };
  const evidence = readEvidence({ tool: "Bash", arguments: args, cwd: "/srv", call_id: "x" }, "Bash: npm test");
  expect(evidence).toMatchObject({ tool: "Bash", command: "npm test", cwd: "/srv", words: ["Run the tests"] });
  expect(evidence.fields).toEqual([{ name: "timeout", text: "5" }]);
});

test("readEvidence shows the script of a shell", () => {
  expect(readEvidence({ arguments: { command: ["/bin/bash", "-lc", "ls | wc"] } }, "").command).toBe("ls | wc");
  expect(readEvidence({ command: ["git", "push"] }, "").command).toBe("git push");
});

test("readEvidence shows edits as diffs", () => {
  const edit = { file_path: "a.py", old_string: "x = 1", new_string: "x = 2" };
  expect(lines({ tool: "Edit", arguments: edit })).toEqual(["-x = 1", "+x = 2"]);
  expect(readEvidence({ tool: "Edit", arguments: edit }, "").fields).toEqual([]);
  expect(lines({ tool: "Write", arguments: { file_path: "a", content: "b\nc" } })).toEqual(["+b", "+c"]);
  expect(lines({ arguments: { edits: [edit], file_path: "a.py" } })).toEqual(["@@", "-x = 1", "+x = 2"]);
  expect(lines({ diffs: [{ path: "a", old: "1", new: "2" }] })).toEqual(["-1", "+2"]);
});

test("readEvidence colours patches", () => {
  const patch = "*** Begin Patch\n*** Update File: a.py\n@@ def f\n-old\n+new\n*** End Patch";
  const [diff] = readEvidence({ tool: "apply_patch", arguments: { input: patch } }, "").diffs;
  expect(diff?.lines.map(({ kind }) => kind)).toEqual(["file", "hunk", "remove", "add"]);
  expect(countChanges(diff?.lines ?? [])).toEqual({ added: 1, removed: 1 });
  expect(lines({ changes: { "a.py": { type: "update", unified_diff: "@@ -1 +1 @@\n-a\n+b" } } })).toContain("+b");
});

test("readEvidence leaves nothing out that has another shape", () => {
  const odd = {
    text: 7,
    diff: 5,
    checks: ["mypy: passed"],
    files: [1],
    tool: { name: "x" },
    reason: { code: 1 },
    cmd: {},
  };
  expect(readEvidence(odd, "").fields.map(({ name }) => name)).toEqual(Object.keys(odd));
});

test("readEvidence does not repeat the title", () => {
  expect(readEvidence({ text: "Which colour?" }, "Which colour?").words).toEqual([]);
});

test("readEvidence shows the checks, files and held changes of a show", () => {
  const evidence = readEvidence(
    {
      why: "the edited plan weakens the show",
      held: ["plan: a gate is dropped"],
      checks: [{ kind: "command", title: "make test", passed: true, summary: "passed in 3 s", output: "ok" }],
      files: [
        { path: "a.py", additions: 2, deletions: 1 },
        { path: "b.png", additions: null, deletions: null },
      ],
      feedback: [{ attempt: 1, feedback: "too slow" }],
      subject: { attempt: 2 },
      used: { tokens: 5, seconds: null },
    },
    "build: the edited plan weakens the show",
  );
  expect(evidence.lists).toEqual([{ name: "Changes that are held back", lines: ["plan: a gate is dropped"] }]);
  expect(evidence.checks).toEqual([{ title: "make test", passed: true, summary: "passed in 3 s", output: "ok" }]);
  expect(evidence.files.map(({ added, removed }) => [added, removed])).toEqual([
    [2, 1],
    [null, null],
  ]);
  expect(evidence.words).toEqual(["Attempt 1: too slow"]);
  expect(evidence.fields).toEqual([{ name: "used", text: "tokens: 5" }]);
});

test("readEvidence names the rules of always", () => {
  const suggestions = [{ type: "addRules", rules: [{ toolName: "Bash", ruleContent: "npm test:*" }] }];
  expect(readEvidence({ suggestions }, "").rules).toEqual(["Bash(npm test:*)"]);
});

test.each([
  { arguments: "plain" },
  { arguments: ["a"], diff: 5, changes: [null, 1, "x"], suggestions: { a: 1 }, text: 7 },
  { arguments: { command: {}, edits: [1], new_string: 5, content: null }, tool: { name: "x" } },
  { unreadable: "{" },
])("readEvidence survives %j", (evidence) => {
  expect(readEvidence(evidence, "t").fields.length).toBeGreaterThan(0);
});

test("parseArguments keeps texts and parses other values", () => {
  const given = { command: "ls", timeout: 5 };
  expect(parseArguments(given, { command: "ls -l" })).toEqual({ command: "ls -l", timeout: 5 });
  expect(parseArguments(given, { timeout: "9" })).toEqual({ command: "ls", timeout: 9 });
  expect(() => parseArguments(given, { timeout: "nine" })).toThrow("timeout is not valid JSON");
});
