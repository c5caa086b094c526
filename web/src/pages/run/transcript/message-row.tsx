// One message: the speaker in the gutter, the content beside it, then the time and what the message cost.
import {
  IconAlertTriangle,
  IconFileText,
  IconGitFork,
  IconRobot,
  IconSettings,
  IconSubtask,
  IconTool,
  IconUser,
} from "@tabler/icons-react";
import { type ComponentType, memo } from "react";
import type { Message } from "@/api/messages";
import { entryOf, type Speaker } from "@/domain/transcript/message-entry";
import { foldKey, type RowLayout } from "@/domain/transcript/row-layout";
import classes from "./message-row.module.css";
import { MessageUsage } from "./parts/message-usage";
import { RowMenu } from "./parts/row-menu";
import { TextMessage } from "./text-message";
import { TimeOfDay } from "./time-of-day";
import { FailureStreak, FoldLine, ToolCall, ToolResult } from "./tool-message";

export interface RowProps {
  runId: string;
  message: Message;
  /** The result of a tool call. */
  result: Message | undefined;
  layout: RowLayout;
  expanded: boolean;
  toggle: (key: number) => void;
  row: number;
  /** The address names this message. */
  current: boolean;
  inherited: boolean;
  /** Whether the thoughts of an answer are shown. */
  thoughts: boolean;
  /** The main agent gave the task, not the user. */
  isTask: boolean;
  /** The lane of the branch, if the run has several, and its name where the branch changes. */
  lane: number | undefined;
  laneName: string | undefined;
  readBranch: (id: string | undefined) => void;
  goTo: (ord: number, how: "step") => void;
}

const SPEAKERS: Record<
  Speaker | "error" | "task",
  { name: string; icon: ComponentType<{ size: number; stroke: number }> }
> = {
  user: { name: "User", icon: IconUser },
  task: { name: "Task from main", icon: IconSubtask },
  assistant: { name: "Assistant", icon: IconRobot },
  system: { name: "System", icon: IconSettings },
  tool: { name: "Tool", icon: IconTool },
  error: { name: "Error", icon: IconAlertTriangle },
  other: { name: "Note", icon: IconFileText },
};

export const MessageRow = memo(Row);

function Row(props: RowProps) {
  const { message, current, inherited, lane, laneName, readBranch, goTo } = props;
  const speaker = speakerOf(props);
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
          onClick={() => goTo(message.ord, "step")}
          title="Link to this message"
        >
          #{message.ord}
        </button>
        {laneName && (
          <button
            type="button"
            className={classes.laneName}
            title={`${laneName}: show this branch alone`}
            onClick={() => readBranch(message.branch_id ?? undefined)}
          >
            <IconGitFork size={11} stroke={1.8} /> {laneName}
          </button>
        )}
      </div>
      <div className={classes.body}>
        <MessageBody {...props} />
      </div>
      <div className={classes.aside}>
        <TimeOfDay at={message.created_at} />
        <MessageUsage metadata={message.metadata} />
        <RowMenu runId={props.runId} message={message} result={props.result} isOwn={!inherited} />
      </div>
    </article>
  );
}

function speakerOf({ message, result, layout, isTask }: RowProps): keyof typeof SPEAKERS {
  const entry = entryOf(message);
  if (layout.kind === "call" && layout.fold && !layout.fold.open) return "tool";
  const outcome = entry.kind === "call" ? result && entryOf(result) : entry;
  if (outcome?.kind === "result" && outcome.failed) return "error";
  if (entry.kind === "text") return entry.speaker === "user" && isTask ? "task" : entry.speaker;
  return entry.kind === "missing" ? "other" : "tool";
}

function MessageBody({ runId, message, result, layout, expanded, toggle, row, thoughts }: RowProps) {
  const entry = entryOf(message);
  const more = { runId, expanded, toggle: () => toggle(row) };
  if (layout.kind === "failures") return <FailureStreak {...more} streak={layout} last={result} />;
  const fold = layout.kind === "call" ? layout.fold : undefined;
  switch (entry.kind) {
    case "text":
      return <TextMessage {...more} message={message} entry={entry} thoughts={thoughts} />;
    case "call":
      return (
        <>
          {fold && <FoldLine fold={fold} toggle={() => toggle(foldKey(row))} />}
          {(!fold || fold.open) && <ToolCall {...more} message={message} entry={entry} result={result} />}
        </>
      );
    case "result":
      return <ToolResult {...more} message={message} entry={entry} />;
    case "missing":
      return <span className={classes.missing}>This message is missing from the database.</span>;
  }
}
