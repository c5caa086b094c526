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

interface SpokenProps {
  runId: string;
  message: Message;
  entry: Extract<Entry, { kind: "words" }>;
  opened: boolean;
  toggle: () => void;
}

// What is more is read by few and rendered slowly.
const MOST = 6_000;
// A system prompt is the same in every run; two lines say which one it is.
const MOST_SYSTEM = 240;

export function Spoken({ runId, message, entry, opened, toggle }: SpokenProps) {
  const { words, thinking, speaker } = entry;
  const most = speaker === "system" ? MOST_SYSTEM : MOST;
  if (words.length > words.text.length && opened) {
    return (
      <>
        <LongText runId={runId} messageId={message.id} words={words} />
        <More opened length={words.length} toggle={toggle} />
      </>
    );
  }
  const isLong = words.length > most;
  const text = isLong && !opened ? `${words.text.slice(0, most)}…` : words.text;
  return (
    <>
      {thinking && <Thought text={thinking.text} opened={opened} toggle={toggle} alone={words.text === ""} />}
      {text !== "" && <Markdown text={text} />}
      {isLong && <More opened={opened} length={words.length} toggle={toggle} />}
      {text === "" && !thinking && <span className={classes.gone}>Nothing was said.</span>}
    </>
  );
}

function Thought({
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
    <div className={folds.thought} data-alone={alone}>
      <UnstyledButton className={classes.fold} aria-expanded={opened} onClick={toggle}>
        <IconChevronRight size={13} data-open={opened} className={classes.chevron} />
        <IconBulb size={13} stroke={1.8} />
        <em className={classes.oneLine}>{opened ? "Thought" : text.slice(0, 300)}</em>
      </UnstyledButton>
      {opened && <div className={folds.thoughtText}>{text}</div>}
    </div>
  );
}

export function More({ opened, length, toggle }: { opened: boolean; length: number; toggle: () => void }) {
  return (
    <UnstyledButton className={folds.more} onClick={toggle} aria-expanded={opened}>
      {opened ? "Show less" : `Show all · ${bytes(length)}`}
    </UnstyledButton>
  );
}
