import { expect, test } from "vitest";
import { countKinds, planOf, toolHead } from "./tool-heads";

const line = (tool: string, args: unknown, title?: string): string => {
  const { label, text } = toolHead(tool, args, title);
  return `${label} ${text}`.trim();
};

test.each([
  ["Bash", { command: "pytest -q", description: "Run the tests" }, "$ pytest -q"],
  ["Bash", { command: "cat <<E\nx\nE" }, "$ cat <<E …"],
  ["shell", { command: ["bash", "-lc", "ls -la"] }, "$ ls -la"],
  ["shell", { command: ["git", "status"] }, "$ git status"],
  ["exec_command", { cmd: "rg -n foo" }, "$ rg -n foo"],
  ["Read", { file_path: "src/a.py", offset: 10, limit: 31 }, "Read src/a.py:10–40"],
  ["Read", { file_path: "src/a.py", offset: 10 }, "Read src/a.py:10"],
  ["Read", { file_path: "src/a.py" }, "Read src/a.py"],
  ["Edit", { file_path: "src/a.py", old_string: "a", new_string: "b" }, "Edit src/a.py"],
  ["MultiEdit", { file_path: "src/a.py", edits: [] }, "Edit src/a.py"],
  ["apply_patch", { changes: [{ path: "a.py", kind: "add" }, { path: "b.py" }] }, "Patch a.py, b.py"],
  ["apply_patch", { input: "*** Begin Patch\n*** Update File: src/x.ts\n@@\n" }, "Patch src/x.ts"],
  ["Grep", { pattern: "COMMENT", path: "src" }, 'Grep "COMMENT" in src'],
  ["Glob", { pattern: "**/*.ts" }, 'Glob "**/*.ts"'],
  ["WebFetch", { url: "https://docs.example.org/api?q=1", prompt: "Read it" }, "Fetch docs.example.org/api?q=1"],
  ["WebSearch", { query: "sqlite wal" }, 'Web search "sqlite wal"'],
  ["Task", { description: "Find the leak", prompt: "Look at…" }, "Task: Find the leak"],
  ["mcp__github__list_issues", { repo: "a/b" }, "github · list_issues a/b"],
  ["mcp__my_db__query", { sql: "select 1", limit: 5 }, "my_db · query sql: select 1, limit: 5"],
  ["psql", { sql: "select 1" }, "psql select 1"],
  [
    "TodoWrite",
    {
      todos: [
        { content: "a", status: "completed" },
        { content: "b", status: "in_progress" },
      ],
    },
    "Plan 1 of 2 done: b",
  ],
  ["update_plan", { items: [{ text: "a", completed: true }] }, "Plan 1 of 1 done"],
  ["run", "make", "$ make"],
  ["", null, "tool"],
])("toolHead of %s %j is one line", (tool, args, expected) => {
  expect(line(tool, args)).toBe(expected);
});

test("toolHead uses the title of an ACP call without arguments", () => {
  expect(line("execute", { title: "npm test" })).toBe("$ npm test");
  expect(line("edit", {}, "Edit src/main.rs")).toBe("Edit src/main.rs");
  expect(line("think", {}, "Compare both")).toBe("think Compare both");
});

test("toolHead survives hostile names and arguments", () => {
  expect(line("__proto__", { constructor: "x" })).toBe("__proto__ x");
  expect(line("Bash", { command: 7 })).toBe("$ 7");
  expect(line("Read", ["a"])).toBe('Read ["a"]');
  expect(line("Grep", { pattern: "x".repeat(10_000) }).length).toBeLessThan(2100);
});

test("planOf reads the items of TodoWrite, Codex and ACP", () => {
  const todos = [{ content: "a", status: "completed" }, { content: "b", status: "in_progress" }, { content: "c" }];
  const expected = ["done a", "active b", "open c"];
  const read = (tool: string, args: unknown) => planOf(tool, args)?.map(({ state, text }) => `${state} ${text}`);
  expect(read("TodoWrite", { todos })).toEqual(expected);
  expect(read("update_plan", { plan: [{ step: "b", status: "in_progress" }] })).toEqual(["active b"]);
  expect(read("update_plan", { items: [{ text: "a", completed: true, status: "pending" }] })).toEqual(["done a"]);
  expect(read("Bash", { items: [{ text: "a" }] })).toBeUndefined();
  expect(read("TodoWrite", { todos: "none" })).toBeUndefined();
});

test("countKinds names each kind of call", () => {
  expect(countKinds(["edit", "command", "edit", "read"])).toBe("2 edits, 1 read, 1 command");
  expect(countKinds(["search", "search", "other"])).toBe("2 searches, 1 other");
});
