import { expect, test } from "vitest";
import { type Job, jobPage, jobState, jobTitle } from "./jobs";

const JOB: Job = {
  id: "j",
  session_id: null,
  verb: "mirror",
  target: "claude",
  options: {},
  running: true,
  exit_code: null,
};

test("jobTitle names what a process does", () => {
  expect(jobTitle(JOB)).toBe("Import of Claude Code history");
  expect(jobTitle({ ...JOB, verb: "agent", target: "claude", options: { name: "nightly" } })).toBe("nightly");
});

test("jobState shows the progress of an import, and whether it failed", () => {
  expect(jobState({ ...JOB, progress: { done: 1, total: 4 } }).text).toBe("25 %");
  expect(jobState(JOB).text).toBe("running");
  expect(jobState({ ...JOB, running: false, exit_code: 1 })).toEqual({ text: "failed", tone: "danger" });
  expect(jobState({ ...JOB, running: false, exit_code: 0 }).tone).toBe("success");
});

test("jobPage leads to the result", () => {
  expect(jobPage({ ...JOB, session_id: "a b" })).toBe("/runs/a%20b");
  expect(jobPage({ ...JOB, verb: "plan", target: "parser" })).toBe("/shows/parser");
  expect(jobPage(JOB)).toBe("/runs");
});
