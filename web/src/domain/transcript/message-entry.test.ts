import { expect, test } from "vitest";
import { entryOf, firstLines, summarizeCall, type TranscriptMessage, toText } from "./message-entry";

function said(content: unknown, more: Partial<TranscriptMessage> = {}): TranscriptMessage {
  const facts = { ord: 0, id: "m", branch_id: null, missing: false, created_at: 1, size: 0, cut: null };
  return { ...facts, content, ...more };
}

test("who speaks is known by the key of the content", () => {
  expect(entryOf(said({ instruction: "go" }))).toMatchObject({ kind: "text", speaker: "user" });
  expect(entryOf(said({ system_message: "be" }))).toMatchObject({ kind: "text", speaker: "system" });
  const thought = entryOf(said({ assistant_response: "", thinking: "hm" }));
  expect(thought).toMatchObject({ kind: "text", speaker: "assistant", thinking: { text: "hm" } });
});

test("a call, and what came of it", () => {
  expect(entryOf(said({ function: "Bash", arguments: { command: "ls" } }))).toMatchObject({
    kind: "call",
    tool: "Bash",
  });
  const failed = { function: "Bash", arguments: {}, error: "no", action_request_id: "c" };
  expect(entryOf(said(failed))).toMatchObject({
    kind: "result",
    failed: true,
    requestId: "c",
    body: { text: "no" },
  });
  expect(entryOf(said({ output: "", action_request_id: 3 }))).toMatchObject({
    failed: false,
    requestId: undefined,
  });
});

test("anything else is shown as it is, by the role of the message", () => {
  expect(entryOf(said("plain", { role: "user" }))).toMatchObject({
    speaker: "user",
    body: { text: "plain" },
  });
  expect(entryOf(said({ odd: 1 }))).toMatchObject({ speaker: "other", body: { text: '{\n  "odd": 1\n}' } });
  expect(entryOf(said(null, { missing: true }))).toEqual({ kind: "missing" });
  const trap = JSON.parse('{"__proto__": {"instruction": "x"}}') as unknown;
  expect(entryOf(said(trap))).toMatchObject({ speaker: "other" });
});

test("a content that was cut knows how long it is", () => {
  const cut = said({ output: "begin" }, { cut: { output: 5000 } });
  expect(entryOf(cut)).toMatchObject({ body: { key: "output", length: 5000, text: "begin" } });
});

test("a call in one line, blocks of text as text", () => {
  expect(summarizeCall({ command: "ls -la", timeout: 3 })).toBe("ls -la");
  expect(summarizeCall({ command: ["git", "status"] })).toBe("git status");
  expect(summarizeCall({})).toBe("");
  expect(summarizeCall({ depth: 3 })).toBe('{"depth":3}');
  expect(
    toText([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]),
  ).toBe("a\nb");
});

test("the first lines, or the first characters", () => {
  expect(firstLines("a\nb\nc", 2, 100)).toBe("a\nb");
  expect(firstLines("a\nb", 5, 100)).toBe("a\nb");
  expect(firstLines("x".repeat(50), 5, 10)).toBe("x".repeat(10));
});
