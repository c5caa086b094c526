// One message: the speaker in the gutter, the content beside it.
import {
  IconAlertTriangle,
  IconFileText,
  IconGitFork,
  IconRobot,
  IconSettings,
  IconTool,
  IconUser,
} from "@tabler/icons-react";
import { type ComponentType, memo } from "react";
import type { Message } from "@/api/messages";
import { entryOf, type Speaker } from "@/domain/transcript/message-entry";
import type { RowLayout } from "@/domain/transcript/row-layout";
import classes from "./message-row.module.css";
import { TextMessage } from "./text-message";
import { TimeOfDay } from "./time-of-day";
import { FailureStreak, ToolCall, ToolResult } from "./tool-message";

export interface RowProps {
  runId: string;
  message: Message;
  /** The result of a tool call. */
  result: Message | undefined;
  layout: RowLayout;
  expanded: boolean;
  toggle: (row: number) => void;
  row: number;
  /** The address names this message. */
  current: boolean;
  inherited: boolean;
  /** The lane of the branch, if the run has several, and its name where the branch changes. */
  lane: number | undefined;
  laneName: string | undefined;
  goTo: (ord: number) => void;
}

const SPEAKERS: Record<Speaker | "error", { name: string; icon: ComponentType<{ size: number; stroke: number }> }> = {
  user: { name: "User", icon: IconUser },
  assistant: { name: "Assistant", icon: IconRobot },
  system: { name: "System", icon: IconSettings },
  tool: { name: "Tool", icon: IconTool },
  error: { name: "Error", icon: IconAlertTriangle },
  other: { name: "Note", icon: IconFileText },
};

export const MessageRow = memo(Row);

function Row(props: RowProps) {
  const { message, result, current, inherited, lane, laneName, goTo } = props;
  const entry = entryOf(message);
  const resultEntry = result && entryOf(result);
  const outcome = entry.kind === "call" ? resultEntry : entry;
  const failed = outcome?.kind === "result" && outcome.failed;
  const speaker = failed
    ? "error"
    : entry.kind === "text"
      ? entry.speaker
      : entry.kind === "missing"
        ? "other"
        : "tool";
  const { name, icon: Icon } = SPEAKERS[speaker];
  return (
    <article
      className={classes.row}
      data-speaker={speaker}
      data-marked={current}
      data-inherited={inherited}
      data-lane={lane === undefined ? undefined : lane % 6}
      aria-label={`${name}, message ${message.ord}`}
    >
      <div className={classes.gutter}>
        <span className={classes.speaker}>
          <Icon size={14} stroke={1.8} /> {name}
        </span>
        <button
          type="button"
          className={classes.ordLink}
          onClick={() => goTo(message.ord)}
          title="Link to this message"
        >
          #{message.ord}
        </button>
        {laneName && (
          <span className={classes.laneName} title={laneName}>
            <IconGitFork size={11} stroke={1.8} /> {laneName}
          </span>
        )}
      </div>
      <div className={classes.body}>
        <MessageBody {...props} />
      </div>
      <TimeOfDay at={message.created_at} />
    </article>
  );
}

function MessageBody({ runId, message, result, layout, expanded, toggle, row }: RowProps) {
  const entry = entryOf(message);
  const more = { runId, expanded, toggle: () => toggle(row) };
  if (layout.kind === "failures") return <FailureStreak {...more} streak={layout} last={result} />;
  switch (entry.kind) {
    case "text":
      return <TextMessage {...more} message={message} entry={entry} />;
    case "call":
      return <ToolCall {...more} message={message} entry={entry} result={result} />;
    case "result":
      return <ToolResult {...more} message={message} entry={entry} />;
    case "missing":
      return <span className={classes.missing}>This message is missing from the database.</span>;
  }
}
