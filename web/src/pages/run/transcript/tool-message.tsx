// Tool calls: a call with its result in one row, and a streak of failures in one line.
import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import type { Message } from "@/api/messages";
import { duration } from "@/domain/text/format";
import { type Entry, entryOf, summarizeCall, toText } from "@/domain/transcript/message-entry";
import type { RowLayout } from "@/domain/transcript/row-layout";
import classes from "./message-row.module.css";
import { ToolOutput } from "./tool-output";

interface ToolProps {
  runId: string;
  expanded: boolean;
  toggle: () => void;
}
type CallEntry = Extract<Entry, { kind: "call" }>;
type ResultEntry = Extract<Entry, { kind: "result" }>;

interface ToolCallProps extends ToolProps {
  message: Message;
  entry: CallEntry;
  result: Message | undefined;
}

export function ToolCall({ runId, expanded, toggle, message, entry, result }: ToolCallProps) {
  const durationMs = result && callDuration(message, result);
  return (
    <>
      <UnstyledButton className={classes.toggle} aria-expanded={expanded} onClick={toggle}>
        <IconChevronRight size={13} data-open={expanded} className={classes.chevron} />
        <code className={classes.toolName}>{entry.tool || "tool"}</code>
        <code className={classes.oneLine}>{summarizeCall(entry.args).slice(0, 400)}</code>
        {durationMs !== undefined && <span className={classes.duration}>{duration(durationMs)}</span>}
        {!result && <span className={classes.duration}>no result yet</span>}
      </UnstyledButton>
      {expanded && entry.body.text !== "" && (
        <ToolOutput
          runId={runId}
          messageId={message.id}
          content={{ ...entry.body, text: toText(entry.args) }}
          expanded
        />
      )}
      <Result runId={runId} message={result} expanded={expanded} toggle={toggle} />
    </>
  );
}

/** A result without its call. */
export function ToolResult(props: ToolProps & { message: Message; entry: ResultEntry }) {
  const { entry, ...rest } = props;
  return (
    <>
      <div className={classes.toggle}>
        <code className={classes.toolName}>{entry.tool ?? "tool"}</code>
        <span className={classes.duration}>{entry.failed ? "failed" : "result"}</span>
      </div>
      <Result {...rest} />
    </>
  );
}

interface FailureStreakProps extends ToolProps {
  streak: Extract<RowLayout, { kind: "failures" }>;
  /** The result of the last call. */
  last: Message | undefined;
}

export function FailureStreak({ runId, toggle, streak, last }: FailureStreakProps) {
  return (
    <>
      <UnstyledButton className={classes.toggle} aria-expanded={false} onClick={toggle}>
        <IconChevronRight size={13} className={classes.chevron} />
        <code className={classes.toolName}>{streak.tool || "tool"}</code>
        <span className={classes.oneLine}>failed {streak.calls.length}× in a row. Last error:</span>
      </UnstyledButton>
      <Result runId={runId} message={last} expanded={false} toggle={toggle} />
    </>
  );
}

function Result({ runId, message, expanded, toggle }: ToolProps & { message: Message | undefined }) {
  const entry = message && entryOf(message);
  if (entry?.kind !== "result") return null;
  return (
    <ToolOutput
      runId={runId}
      messageId={message?.id ?? ""}
      content={entry.body}
      expanded={expanded}
      toggle={toggle}
      failed={entry.failed}
    />
  );
}

function callDuration(call: Message, result: Message): number | undefined {
  if (call.created_at === null || result.created_at === null) return undefined;
  return Math.max(0, result.created_at - call.created_at) * 1000;
}
