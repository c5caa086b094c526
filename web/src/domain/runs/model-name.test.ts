import { expect, test } from "vitest";
import { modelName } from "./model-name";

test.each([
  ["claude-sonnet-4-20250514", "Sonnet 4"],
  ["claude-sonnet-4-5", "Sonnet 4.5"],
  ["claude-opus-4-1-20250805", "Opus 4.1"],
  ["claude-3-5-haiku-20241022", "Haiku 3.5"],
  ["claude-3-opus-latest", "Opus 3"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "Sonnet 4.5"],
  ["anthropic/claude-opus-4-1", "Opus 4.1"],
  ["claude-sonnet-4-5[1m]", "Sonnet 4.5"],
  ["gpt-5-codex", "GPT-5 Codex"],
  ["gpt-4o-mini-2024-07-18", "GPT-4o Mini"],
  ["gemini-2.5-pro", "Gemini 2.5 Pro"],
  ["qwen3-coder:30b", "qwen3-coder:30b"],
  ["<synthetic>", "<synthetic>"],
  ["", ""],
])("modelName(%s) is %s", (id, name) => {
  expect(modelName(id)).toBe(name);
});
