// A text message as Markdown: thinking is collapsed, a long text is truncated. Output of a program is shown verbatim.
import { UnstyledButton } from "@mantine/core";
import { IconBulb, IconChevronRight } from "@tabler/icons-react";
import type { Message } from "@/api/messages";
import { bytes } from "@/domain/text/format";
import { type Entry, isProgramOutput } from "@/domain/transcript/message-entry";
import { Markdown } from "@/ui/text/markdown";
import { LongText } from "./long-text";
import classes from "./message-row.module.css";
import { ToolOutput } from "./tool-output";
import outputClasses from "./tool-output.module.css";

interface TextMessageProps {
  runId: string;
  message: Message;
  entry: Extract<Entry, { kind: "text" }>;
  expanded: boolean;
  toggle: () => void;
  /** Whether thoughts are shown. */
  thoughts: boolean;
}

// Longer texts render slowly, and few people read them.
const MAX_LENGTH = 6_000;
// A system prompt is the same in every run; two lines identify it.
const MAX_SYSTEM_LENGTH = 240;

export function TextMessage({ runId, message, entry, expanded, toggle, thoughts }: TextMessageProps) {
  const { body, speaker } = entry;
  if (isProgramOutput(message)) {
    return <ToolOutput runId={runId} messageId={message.id} content={body} expanded={expanded} toggle={toggle} />;
  }
  const thinking = thoughts || entry.body.text === "" ? entry.thinking : undefined;
  const maxLength = speaker === "system" ? MAX_SYSTEM_LENGTH : MAX_LENGTH;
  if (body.length > body.text.length && expanded) {
    return (
      <>
        <LongText runId={runId} messageId={message.id} content={body} />
        <ShowMoreButton expanded length={body.length} toggle={toggle} />
      </>
    );
  }
  const isLong = body.length > maxLength;
  const text = isLong && !expanded ? `${body.text.slice(0, maxLength)}…` : body.text;
  return (
    <>
      {thinking && <Thinking text={thinking.text} expanded={expanded} toggle={toggle} alone={body.text === ""} />}
      {text !== "" && <Markdown text={text} />}
      {isLong && <ShowMoreButton expanded={expanded} length={body.length} toggle={toggle} />}
      {text === "" && !thinking && <span className={classes.missing}>Empty message</span>}
    </>
  );
}

function Thinking(props: { text: string; expanded: boolean; toggle: () => void; alone: boolean }) {
  const { text, expanded, toggle, alone } = props;
  return (
    <div className={outputClasses.thinking} data-alone={alone}>
      <UnstyledButton className={classes.toggle} aria-expanded={expanded} onClick={toggle}>
        <IconChevronRight size={13} data-open={expanded} className={classes.chevron} />
        <IconBulb size={13} stroke={1.8} />
        <em className={classes.oneLine}>{expanded ? "Thinking" : text.slice(0, 300)}</em>
      </UnstyledButton>
      {expanded && <div className={outputClasses.thinkingText}>{text}</div>}
    </div>
  );
}

function ShowMoreButton(props: { expanded: boolean; length: number; toggle: () => void }) {
  return (
    <UnstyledButton className={outputClasses.showMore} onClick={props.toggle} aria-expanded={props.expanded}>
      {props.expanded ? "Show less" : `Show all · ${bytes(props.length)}`}
    </UnstyledButton>
  );
}
