// What the transcript shows: kinds of messages, and one branch alone.
import { IconGitBranch, IconX } from "@tabler/icons-react";
import { MODES, type Mode } from "@/domain/transcript/reading";
import { branchName } from "./branch-names";
import classes from "./run-view.module.css";
import type { Detail } from "./transcript/segments";
import type { ReadingControl } from "./use-reading";

const MODE_LABELS: Record<Mode, { label: string; title: string }> = {
  messages: { label: "Messages", title: "The user and the final answers; with other kinds, every message" },
  thoughts: { label: "Thoughts", title: "Thoughts of the agent" },
  tools: { label: "Tools", title: "Tool calls with their results" },
  errors: { label: "Errors", title: "Tool calls that failed" },
};

export function ReadingChips({ detail, reading }: { detail: Detail; reading: ReadingControl }) {
  const branch = detail.branches.find(({ id }) => id === reading.branch);
  return (
    <fieldset className={classes.chips} aria-label="Show only">
      {MODES.map((mode) => (
        <button
          key={mode}
          type="button"
          className={classes.chip}
          aria-pressed={reading.modes.includes(mode)}
          title={MODE_LABELS[mode].title}
          onClick={() => reading.toggle(mode)}
        >
          {MODE_LABELS[mode].label}
        </button>
      ))}
      {reading.branch !== undefined && (
        <button
          type="button"
          className={classes.chip}
          aria-pressed
          title="Show all branches"
          onClick={() => reading.setBranch(undefined)}
        >
          <IconGitBranch size={12} aria-hidden /> <span>{branch ? branchName(branch) : "unknown branch"}</span>
          <IconX size={12} aria-hidden />
        </button>
      )}
    </fieldset>
  );
}
