import { expect, test } from "vitest";
import { failedChecksText, readChecks } from "./checks";

test("readChecks reads what any program may have written", () => {
  expect(readChecks("nothing")).toEqual([]);
  expect(readChecks([3, { title: "make test", passed: 1, seconds: "long" }])).toEqual([
    { title: "make test", passed: false, summary: "", output: "", seconds: undefined, confinement: undefined },
  ]);
});

test("failedChecksText is the feedback of failed checks alone", () => {
  const checks = readChecks([
    { title: "make lint", passed: true, summary: "passed", output: "fine" },
    { title: "make test", passed: false, summary: "exit code 1", output: "2 tests failed\n" },
    { title: "review", passed: false, summary: "", output: "" },
  ]);
  expect(failedChecksText(checks)).toBe("exit code 1\n\n2 tests failed\n\nreview failed");
  expect(failedChecksText(checks.slice(0, 1))).toBe("");
});
