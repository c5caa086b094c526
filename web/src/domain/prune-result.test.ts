import { expect, test } from "vitest";
import { pruneResult } from "./prune-result";

test("pruneResult names what was deleted and measured", () => {
  const deleted = { sessions: 9, progressions: 18, messages: 1, bytes_given_back: 2_400_000 };
  const output = `Planning\n${JSON.stringify({ dry_run: false, deleted }, null, 2)}\n`;
  expect(pruneResult(output)).toBe("Prune: deleted 9 runs and 1 message, 2.4 MB freed on disk");
});

test("pruneResult refers to the output when it is not JSON", () => {
  expect(pruneResult("li: busy")).toBe("Prune: done; its output is in Launches");
});
