// How a run ended that did not succeed.
import { duration } from "../text/format";

interface EndedRun {
  duration_ms: number | null;
  exit_code: number | null;
  state: {
    label: string;
    outcome: string | null;
    reasons: readonly { message: string; evidence?: string | null | undefined }[];
  };
}

export interface RunEnd {
  /** "Failed after 85 ms". */
  title: string;
  /** The first line of the error, with the exit code. */
  reason: string;
}

export function endOf({ state, duration_ms, exit_code }: EndedRun): RunEnd | undefined {
  if (state.outcome === null || state.outcome === "succeeded") return undefined;
  const [first] = state.reasons;
  const known = first?.evidence || first?.message || "";
  const line = known.trim().split("\n")[0] ?? "";
  const code = exit_code === null || /exit code/i.test(line) ? "" : `exit code ${exit_code}`;
  const label = state.label.charAt(0).toUpperCase() + state.label.slice(1);
  return {
    title: duration_ms === null ? label : `${label} after ${duration(duration_ms)}`,
    reason: [code, line].filter(Boolean).join(": ") || "No reason was recorded.",
  };
}
