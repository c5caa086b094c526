import { expect, test } from "vitest";
import { dayOf, previewOf } from "./team-messages";

test("the summary stands for the content, which is behind it", () => {
  expect(previewOf({ content: "x".repeat(900), summary: "nine hundred x" })).toEqual({
    text: "nine hundred x",
    truncated: true,
  });
});

test("a short message is whole", () => {
  expect(previewOf({ content: "ready\nfor review", summary: null })).toEqual({
    text: "ready\nfor review",
    truncated: false,
  });
});

test("a long one without a summary shows the beginning of its first line", () => {
  const found = previewOf({ content: `first line\n${"y".repeat(900)}` });
  expect(found).toEqual({ text: "first line…", truncated: true });
});

test("days differ and nonsense is none", () => {
  expect(dayOf(0)).not.toBe(dayOf(90_000));
  expect(dayOf(1e20)).toBe("");
});
