// What a tool printed, as it is: the first lines, the size of the rest, and the rest in parts when it is large.
import { UnstyledButton } from "@mantine/core";
import { bytes } from "@/domain/text/format";
import { firstLines, type Words } from "@/domain/transcript/message-entry";
import { AnsiText } from "@/ui/text/code-block";
import { CopyButton } from "@/ui/text/copy-button";
import { LongText } from "./long-text";
import classes from "./tool-output.module.css";

interface OutputProps {
  runId: string;
  messageId: string;
  words: Words;
  opened: boolean;
  toggle?: (() => void) | undefined;
  failed?: boolean;
}

const LINES = 8;
const CHARACTERS = 1_600;

export function Output({ runId, messageId, words, opened, toggle, failed = false }: OutputProps) {
  if (words.text === "") return null;
  const shown = opened ? words.text : firstLines(words.text, LINES, CHARACTERS);
  const isFolded = shown.length < words.length;
  const isPartial = words.length > words.text.length;
  return (
    <div className={classes.output} data-failed={failed}>
      {opened && isPartial ? (
        <LongText runId={runId} messageId={messageId} words={words} />
      ) : (
        <pre className={classes.pre} tabIndex={0} data-opened={opened}>
          <AnsiText text={shown} />
        </pre>
      )}
      <div className={classes.copy}>{!isPartial && <CopyButton text={words.text} />}</div>
      {toggle && (isFolded || (opened && words.text.length > CHARACTERS)) && (
        <UnstyledButton className={classes.all} onClick={toggle}>
          {opened ? "Show less" : `Show all · ${bytes(words.length)}`}
        </UnstyledButton>
      )}
    </div>
  );
}
