import { expect, test } from "vitest";
import { dayOf, previewOf } from "./team-messages";

test("previewOf prefers the summary", () => {
  expect(previewOf({ content: "x".repeat(900), summary: "nine hundred x" })).toEqual({
    text: "nine hundred x",
    truncated: true,
  });
});

test("previewOf keeps a short message", () => {
  expect(previewOf({ content: "ready\nfor review", summary: null })).toEqual({
    text: "ready\nfor review",
    truncated: false,
  });
});

test("previewOf truncates a long message to its first line", () => {
  const preview = previewOf({ content: `first line\n${"y".repeat(900)}` });
  expect(preview).toEqual({ text: "first line…", truncated: true });
});

test("dayOf separates days and rejects an invalid time", () => {
  expect(dayOf(0)).not.toBe(dayOf(90_000));
  expect(dayOf(1e20)).toBe("");
});
