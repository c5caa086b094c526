// A tool: what it was asked, and what came of it, in one row; failures in a row in one line.
import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import type { Message } from "@/api/messages";
import { duration, plural } from "@/domain/text/format";
import { callLine, type Entry, entryOf, textOf } from "@/domain/transcript/message-entry";
import type { Shape } from "@/domain/transcript/row-layout";
import classes from "./message-row.module.css";
import { Output } from "./tool-output";

interface ToolProps {
  runId: string;
  opened: boolean;
  toggle: () => void;
}
type Call = Extract<Entry, { kind: "call" }>;
type Result = Extract<Entry, { kind: "result" }>;

export function ToolBody(props: ToolProps & { message: Message; entry: Call; result: Message | undefined }) {
  const { runId, opened, toggle, message, entry, result } = props;
  const answer = result && entryOf(result);
  const took = result ? tookOf(message, result) : undefined;
  return (
    <>
      <UnstyledButton className={classes.fold} aria-expanded={opened} onClick={toggle}>
        <IconChevronRight size={13} data-open={opened} className={classes.chevron} />
        <code className={classes.tool}>{entry.tool || "tool"}</code>
        <code className={classes.oneLine}>{callLine(entry.args).slice(0, 400)}</code>
        {took !== undefined && <span className={classes.took}>{duration(took)}</span>}
        {!result && <span className={classes.took}>no result yet</span>}
      </UnstyledButton>
      {opened && entry.words.text !== "" && (
        <Output runId={runId} messageId={message.id} words={{ ...entry.words, text: pretty(entry) }} opened />
      )}
      {result && answer?.kind === "result" && (
        <Output
          runId={runId}
          messageId={result.id}
          words={answer.words}
          opened={opened}
          toggle={toggle}
          failed={answer.failed}
        />
      )}
    </>
  );
}

/** A result whose call is somewhere else. */
export function ResultBody({
  runId,
  opened,
  toggle,
  message,
  entry,
}: ToolProps & { message: Message; entry: Result }) {
  return (
    <>
      <div className={classes.fold}>
        <code className={classes.tool}>{entry.tool ?? "tool"}</code>
        <span className={classes.took}>{entry.failed ? "failed" : "gave back"}</span>
      </div>
      <Output
        runId={runId}
        messageId={message.id}
        words={entry.words}
        opened={opened}
        toggle={toggle}
        failed={entry.failed}
      />
    </>
  );
}

interface FailuresProps extends ToolProps {
  shape: Extract<Shape, { kind: "failures" }>;
  /** The result of the last call. */
  last: Message | undefined;
}

export function FailuresBody({ runId, toggle, shape, last }: FailuresProps) {
  const answer = last && entryOf(last);
  return (
    <>
      <UnstyledButton className={classes.fold} aria-expanded={false} onClick={toggle}>
        <IconChevronRight size={13} className={classes.chevron} />
        <code className={classes.tool}>{shape.tool || "tool"}</code>
        <span className={classes.oneLine}>
          failed {plural(shape.calls.length, "time")} in a row; the last time with
        </span>
      </UnstyledButton>
      {last && answer?.kind === "result" && (
        <Output
          runId={runId}
          messageId={last.id}
          words={answer.words}
          opened={false}
          toggle={toggle}
          failed
        />
      )}
    </>
  );
}

function tookOf(call: Message, result: Message): number | undefined {
  if (call.created_at === null || result.created_at === null) return undefined;
  return Math.max(0, result.created_at - call.created_at) * 1000;
}

function pretty(entry: Call): string {
  return textOf(entry.args);
}
