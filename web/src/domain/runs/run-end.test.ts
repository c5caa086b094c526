import { expect, test } from "vitest";
import { endOf } from "./run-end";

const ended = (outcome: string | null, evidence: string | null, exit_code: number | null = null) => ({
  duration_ms: 85,
  exit_code,
  state: { label: "failed", outcome, reasons: [{ message: "The process exited with an error.", evidence }] },
});

test("endOf gives the first line of the error with the exit code", () => {
  expect(endOf(ended("failed", "exit code 3: the target cannot be reached\ntrace", 3))).toEqual({
    title: "Failed after 85 ms",
    reason: "exit code 3: the target cannot be reached",
  });
  expect(endOf(ended("failed", "out of memory", 137))?.reason).toBe("exit code 137: out of memory");
  expect(endOf(ended("stopped", null))?.reason).toBe("The process exited with an error.");
});

test("endOf is silent about runs that succeeded or go on", () => {
  expect([endOf(ended("succeeded", null, 0)), endOf(ended(null, null))]).toEqual([undefined, undefined]);
});

test("endOf survives a run without a reason or a duration", () => {
  const state = { label: "timed out", outcome: "failed", reasons: [] };
  expect(endOf({ duration_ms: null, exit_code: null, state })).toEqual({
    title: "Timed out",
    reason: "No reason was recorded.",
  });
});
