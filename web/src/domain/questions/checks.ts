// Results of the gates of a play.
import { isRecord, toText } from "../transcript/message-entry";

const MAX_FEEDBACK = 2000; // characters of the output of a check

export interface Check {
  title: string;
  passed: boolean;
  summary: string;
  output: string;
  /** Undefined for a check that did not measure it. */
  seconds: number | undefined;
  confinement: string | undefined;
}

/** The checks of a verdict, which any program may have written. */
export function readChecks(value: unknown): Check[] {
  return (Array.isArray(value) ? value.filter(isRecord) : []).map(
    ({ title, kind, passed, summary, output, seconds, confinement }) => ({
      title: toText(title ?? kind),
      passed: passed === true,
      summary: toText(summary),
      output: toText(output),
      seconds: typeof seconds === "number" ? seconds : undefined,
      confinement: typeof confinement === "string" && confinement !== "" ? confinement : undefined,
    }),
  );
}

/** Feedback for the next attempt from the checks that failed. */
export function failedChecksText(checks: readonly Check[]): string {
  return checks
    .filter(({ passed }) => !passed)
    .map(({ summary, output, title }) => [summary || `${title} failed`, output.trim().slice(-MAX_FEEDBACK)])
    .map((parts) => parts.filter(Boolean).join("\n\n"))
    .join("\n\n");
}
