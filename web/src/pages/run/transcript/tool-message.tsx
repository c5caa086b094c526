// A tool: what it was asked, and what came of it, in one row; failures in a row in one line.
import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import type { Message } from "@/api/messages";
import { duration, plural } from "@/domain/text/format";
import { type Entry, entryOf, summarizeCall, toText } from "@/domain/transcript/message-entry";
import type { RowLayout } from "@/domain/transcript/row-layout";
import classes from "./message-row.module.css";
import { ToolOutput } from "./tool-output";

interface ToolProps {
  runId: string;
  opened: boolean;
  toggle: () => void;
}
type CallEntry = Extract<Entry, { kind: "call" }>;
type ResultEntry = Extract<Entry, { kind: "result" }>;

export function ToolCall(
  props: ToolProps & { message: Message; entry: CallEntry; result: Message | undefined },
) {
  const { runId, opened, toggle, message, entry, result } = props;
  const resultEntry = result && entryOf(result);
  const durationMs = result ? callDuration(message, result) : undefined;
  return (
    <>
      <UnstyledButton className={classes.toggle} aria-expanded={opened} onClick={toggle}>
        <IconChevronRight size={13} data-open={opened} className={classes.chevron} />
        <code className={classes.toolName}>{entry.tool || "tool"}</code>
        <code className={classes.oneLine}>{summarizeCall(entry.args).slice(0, 400)}</code>
        {durationMs !== undefined && <span className={classes.duration}>{duration(durationMs)}</span>}
        {!result && <span className={classes.duration}>no result yet</span>}
      </UnstyledButton>
      {opened && entry.body.text !== "" && (
        <ToolOutput
          runId={runId}
          messageId={message.id}
          content={{ ...entry.body, text: pretty(entry) }}
          opened
        />
      )}
      {result && resultEntry?.kind === "result" && (
        <ToolOutput
          runId={runId}
          messageId={result.id}
          content={resultEntry.body}
          opened={opened}
          toggle={toggle}
          failed={resultEntry.failed}
        />
      )}
    </>
  );
}

/** A result whose call is somewhere else. */
export function ToolResult({
  runId,
  opened,
  toggle,
  message,
  entry,
}: ToolProps & { message: Message; entry: ResultEntry }) {
  return (
    <>
      <div className={classes.toggle}>
        <code className={classes.toolName}>{entry.tool ?? "tool"}</code>
        <span className={classes.duration}>{entry.failed ? "failed" : "gave back"}</span>
      </div>
      <ToolOutput
        runId={runId}
        messageId={message.id}
        content={entry.body}
        opened={opened}
        toggle={toggle}
        failed={entry.failed}
      />
    </>
  );
}

interface FailuresProps extends ToolProps {
  streak: Extract<RowLayout, { kind: "failures" }>;
  /** The result of the last call. */
  last: Message | undefined;
}

export function FailureStreak({ runId, toggle, streak, last }: FailuresProps) {
  const resultEntry = last && entryOf(last);
  return (
    <>
      <UnstyledButton className={classes.toggle} aria-expanded={false} onClick={toggle}>
        <IconChevronRight size={13} className={classes.chevron} />
        <code className={classes.toolName}>{streak.tool || "tool"}</code>
        <span className={classes.oneLine}>
          failed {plural(streak.calls.length, "time")} in a row; the last time with
        </span>
      </UnstyledButton>
      {last && resultEntry?.kind === "result" && (
        <ToolOutput
          runId={runId}
          messageId={last.id}
          content={resultEntry.body}
          opened={false}
          toggle={toggle}
          failed
        />
      )}
    </>
  );
}

function callDuration(call: Message, result: Message): number | undefined {
  if (call.created_at === null || result.created_at === null) return undefined;
  return Math.max(0, result.created_at - call.created_at) * 1000;
}

function pretty(entry: CallEntry): string {
  return toText(entry.args);
}
