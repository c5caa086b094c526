// One message: who speaks, in the gutter; what is said, beside it.
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
import type { Shape } from "@/domain/transcript/row-layout";
import classes from "./message-row.module.css";
import { Spoken } from "./text-message";
import { Clock } from "./time-of-day";
import { FailuresBody, ResultBody, ToolBody } from "./tool-message";

export interface RowProps {
  runId: string;
  message: Message;
  /** What came of a call. */
  result: Message | undefined;
  shape: Shape;
  opened: boolean;
  toggle: (row: number) => void;
  row: number;
  /** The address names this message. */
  marked: boolean;
  inherited: boolean;
  /** Which lane, when there are several; and its name where it begins. */
  lane: number | undefined;
  laneName: string | undefined;
  go: (ord: number) => void;
}

const LOOKS: Record<
  Speaker | "error",
  { name: string; icon: ComponentType<{ size: number; stroke: number }> }
> = {
  user: { name: "User", icon: IconUser },
  assistant: { name: "Assistant", icon: IconRobot },
  system: { name: "System", icon: IconSettings },
  tool: { name: "Tool", icon: IconTool },
  error: { name: "Error", icon: IconAlertTriangle },
  other: { name: "Note", icon: IconFileText },
};

export const MessageRow = memo(Row);

function Row(props: RowProps) {
  const { message, result, marked, inherited, lane, laneName, go } = props;
  const entry = entryOf(message);
  const answer = result && entryOf(result);
  const outcome = entry.kind === "call" ? answer : entry;
  const failed = outcome?.kind === "result" && outcome.failed;
  const speaker = failed
    ? "error"
    : entry.kind === "words"
      ? entry.speaker
      : entry.kind === "gone"
        ? "other"
        : "tool";
  const { name, icon: Icon } = LOOKS[speaker];
  return (
    <article
      className={classes.row}
      data-speaker={speaker}
      data-marked={marked}
      data-inherited={inherited}
      data-lane={lane === undefined ? undefined : lane % 6}
      aria-label={`${name}, message ${message.ord}`}
    >
      <div className={classes.gutter}>
        <span className={classes.who}>
          <Icon size={14} stroke={1.8} /> {name}
        </span>
        <button
          type="button"
          className={classes.number}
          onClick={() => go(message.ord)}
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
        <Body {...props} />
      </div>
      <Clock at={message.created_at} />
    </article>
  );
}

function Body({ runId, message, result, shape, opened, toggle, row }: RowProps) {
  const entry = entryOf(message);
  const more = { runId, opened, toggle: () => toggle(row) };
  if (shape.kind === "failures") return <FailuresBody {...more} shape={shape} last={result} />;
  switch (entry.kind) {
    case "words":
      return <Spoken {...more} message={message} entry={entry} />;
    case "call":
      return <ToolBody {...more} message={message} entry={entry} result={result} />;
    case "result":
      return <ResultBody {...more} message={message} entry={entry} />;
    case "gone":
      return <span className={classes.gone}>This message is not in the database any more.</span>;
  }
}
