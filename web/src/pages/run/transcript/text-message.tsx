// What somebody said, as markdown; a thought is folded, a novel is cut with its length beside it.
import { UnstyledButton } from "@mantine/core";
import { IconBulb, IconChevronRight } from "@tabler/icons-react";
import type { Message } from "@/api/messages";
import { bytes } from "@/domain/text/format";
import type { Entry } from "@/domain/transcript/message-entry";
import { Markdown } from "@/ui/text/markdown";
import { LongText } from "./long-text";
import classes from "./message-row.module.css";
import folds from "./tool-output.module.css";

interface TextMessageProps {
  runId: string;
  message: Message;
  entry: Extract<Entry, { kind: "text" }>;
  opened: boolean;
  toggle: () => void;
}

// What is more is read by few and rendered slowly.
const MAX_LENGTH = 6_000;
// A system prompt is the same in every run; two lines say which one it is.
const MAX_SYSTEM_LENGTH = 240;

export function TextMessage({ runId, message, entry, opened, toggle }: TextMessageProps) {
  const { body: words, thinking, speaker } = entry;
  const most = speaker === "system" ? MAX_SYSTEM_LENGTH : MAX_LENGTH;
  if (words.length > words.text.length && opened) {
    return (
      <>
        <LongText runId={runId} messageId={message.id} content={words} />
        <ShowMoreButton opened length={words.length} toggle={toggle} />
      </>
    );
  }
  const isLong = words.length > most;
  const text = isLong && !opened ? `${words.text.slice(0, most)}…` : words.text;
  return (
    <>
      {thinking && (
        <Thinking text={thinking.text} opened={opened} toggle={toggle} alone={words.text === ""} />
      )}
      {text !== "" && <Markdown text={text} />}
      {isLong && <ShowMoreButton opened={opened} length={words.length} toggle={toggle} />}
      {text === "" && !thinking && <span className={classes.missing}>Nothing was said.</span>}
    </>
  );
}

function Thinking({
  text,
  opened,
  toggle,
  alone,
}: {
  text: string;
  opened: boolean;
  toggle: () => void;
  alone: boolean;
}) {
  return (
    <div className={folds.thinking} data-alone={alone}>
      <UnstyledButton className={classes.toggle} aria-expanded={opened} onClick={toggle}>
        <IconChevronRight size={13} data-open={opened} className={classes.chevron} />
        <IconBulb size={13} stroke={1.8} />
        <em className={classes.oneLine}>{opened ? "Thought" : text.slice(0, 300)}</em>
      </UnstyledButton>
      {opened && <div className={folds.thinkingText}>{text}</div>}
    </div>
  );
}

export function ShowMoreButton({
  opened,
  length,
  toggle,
}: {
  opened: boolean;
  length: number;
  toggle: () => void;
}) {
  return (
    <UnstyledButton className={folds.showMore} onClick={toggle} aria-expanded={opened}>
      {opened ? "Show less" : `Show all · ${bytes(length)}`}
    </UnstyledButton>
  );
}
