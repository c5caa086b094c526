// Tool calls: a call with its result in one row, a streak of failures in one line, and calls in a row in one line.
import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import type { Message } from "@/api/messages";
import { duration, plural } from "@/domain/text/format";
import { languageOf } from "@/domain/text/language";
import { type Entry, entryOf, toText } from "@/domain/transcript/message-entry";
import type { CallFold, RowLayout } from "@/domain/transcript/row-layout";
import { countKinds, planOf, type ToolHead, toolHead } from "@/domain/transcript/tool-heads";
import { CallSums, changesOf, FileChanges, saysItAll } from "./file-changes";
import classes from "./message-row.module.css";
import { PlanList } from "./parts/plan-list";
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
  const changes = changesOf(message, result);
  const head = toolHead(entry.tool, entry.args, entry.title);
  const plan = planOf(entry.tool, entry.args);
  // The list or the diff says more than "Todos have been modified" or "The file has been updated".
  const saysMore = plan !== undefined || (changes !== undefined && saysItAll(changes));
  return (
    <>
      <UnstyledButton className={classes.toggle} aria-expanded={expanded} onClick={toggle} title={entry.tool}>
        <IconChevronRight size={13} data-open={expanded} className={classes.chevron} />
        <HeadText head={head} />
        {changes && <CallSums changes={changes} />}
        {durationMs !== undefined && <span className={classes.duration}>{duration(durationMs)}</span>}
        {!result && <span className={classes.duration}>no result yet</span>}
      </UnstyledButton>
      {plan && <PlanList items={plan} />}
      {expanded && entry.body.text !== "" && (
        <ToolOutput
          runId={runId}
          messageId={message.id}
          content={{ ...entry.body, text: toText(entry.args) }}
          expanded
        />
      )}
      {changes && <FileChanges runId={runId} changes={changes} head={head.text} />}
      {(!saysMore || expanded || isFailed(result)) && (
        <Result
          runId={runId}
          message={result}
          expanded={expanded}
          toggle={toggle}
          language={head.kind === "read" ? languageOf(head.text) : undefined}
        />
      )}
    </>
  );
}

function HeadText({ head: { label, text } }: { head: ToolHead }) {
  return (
    <>
      {label && <code className={classes.toolName}>{label}</code>}
      <code className={classes.oneLine}>{text.slice(0, 400)}</code>
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
  const { head, calls } = streak;
  return (
    <>
      <UnstyledButton className={classes.toggle} aria-expanded={false} onClick={toggle}>
        <IconChevronRight size={13} className={classes.chevron} />
        <HeadText head={head.text ? head : { ...head, text: "different calls" }} />
        <span className={classes.failedCount}>×{calls.length} failed</span>
      </UnstyledButton>
      <Result runId={runId} message={last} expanded={false} toggle={toggle} />
    </>
  );
}

/** "4 tool calls: 2 edits, 1 read, 1 command · 1 failed". */
export function FoldLine({ fold, toggle }: { fold: CallFold; toggle: () => void }) {
  return (
    <UnstyledButton className={classes.toggle} aria-expanded={fold.open} onClick={toggle}>
      <IconChevronRight size={13} data-open={fold.open} className={classes.chevron} />
      <span className={classes.foldTitle}>{plural(fold.kinds.length, "tool call")}</span>
      <span className={classes.oneLine}>
        {countKinds(fold.kinds)}
        {fold.thoughts > 0 && `, ${plural(fold.thoughts, "thought")}`}
      </span>
    </UnstyledButton>
  );
}

interface ResultProps extends ToolProps {
  message: Message | undefined;
  language?: string | undefined;
}

function Result({ runId, message, expanded, toggle, language }: ResultProps) {
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
      language={entry.failed ? undefined : language}
    />
  );
}

function isFailed(result: Message | undefined): boolean {
  const entry = result && entryOf(result);
  return entry?.kind === "result" && entry.failed;
}

function callDuration(call: Message, result: Message): number | undefined {
  if (call.created_at === null || result.created_at === null) return undefined;
  return Math.max(0, result.created_at - call.created_at) * 1000;
}
