import { expect, test } from "vitest";
import { entryOf, firstLines, isProgramOutput, type TranscriptMessage, toText } from "./message-entry";

function said(content: unknown, more: Partial<TranscriptMessage> = {}): TranscriptMessage {
  const facts = { ord: 0, id: "m", branch_id: null, missing: false, created_at: 1, size: 0, cut: null };
  return { ...facts, content, ...more };
}

test("entryOf reads the speaker from the content key", () => {
  expect(entryOf(said({ instruction: "go" }))).toMatchObject({ kind: "text", speaker: "user" });
  expect(entryOf(said({ system_message: "be" }))).toMatchObject({ kind: "text", speaker: "system" });
  const thought = entryOf(said({ assistant_response: "", thinking: "hm" }));
  expect(thought).toMatchObject({ kind: "text", speaker: "assistant", thinking: { text: "hm" } });
});

test("isProgramOutput knows several lines of a program by their number", () => {
  const text = { assistant_response: "a\nb" };
  expect(isProgramOutput(said(text, { metadata: { lines: 2 } }))).toBe(true);
  expect(isProgramOutput(said(text))).toBe(false);
  expect(isProgramOutput(said(text, { metadata: { lines: "2" } }))).toBe(false);
});

test("entryOf reads a call and its result", () => {
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

test("entryOf says that a call failed without output, with the exit code", () => {
  const failed = (error: unknown, metadata?: unknown) => entryOf(said({ error, action_request_id: "c" }, { metadata }));
  expect(failed("", { exit_code: 2 })).toMatchObject({ body: { text: "failed without output, exit code 2" } });
  expect(failed("\n", { exit_code: "2" })).toMatchObject({ body: { text: "failed without output", length: 21 } });
  expect(failed("no", { exit_code: 2 })).toMatchObject({ body: { text: "no" } });
});

test("entryOf falls back to the raw content and the role", () => {
  expect(entryOf(said("plain", { role: "user" }))).toMatchObject({
    speaker: "user",
    body: { text: "plain" },
  });
  expect(entryOf(said({ odd: 1 }))).toMatchObject({ speaker: "other", body: { text: '{\n  "odd": 1\n}' } });
  expect(entryOf(said(null, { missing: true }))).toEqual({ kind: "missing" });
  const trap = JSON.parse('{"__proto__": {"instruction": "x"}}') as unknown;
  expect(entryOf(said(trap))).toMatchObject({ speaker: "other" });
});

test("entryOf keeps the full length of truncated content", () => {
  const cut = said({ output: "begin" }, { cut: { output: 5000 } });
  expect(entryOf(cut)).toMatchObject({ body: { key: "output", length: 5000, text: "begin" } });
});

test("toText joins text blocks", () => {
  expect(
    toText([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]),
  ).toBe("a\nb");
});

test("firstLines limits lines and characters", () => {
  expect(firstLines("a\nb\nc", 2, 100)).toBe("a\nb");
  expect(firstLines("a\nb", 5, 100)).toBe("a\nb");
  expect(firstLines("x".repeat(50), 5, 10)).toBe("x".repeat(10));
});
