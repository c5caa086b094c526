// Output of a tool, verbatim: the first lines, then all of it, in parts if it is large.
import { UnstyledButton } from "@mantine/core";
import { bytes } from "@/domain/text/format";
import { firstLines, type MessageText } from "@/domain/transcript/message-entry";
import { AnsiText } from "@/ui/text/code-block";
import { CopyButton } from "@/ui/text/copy-button";
import { LongText } from "./long-text";
import classes from "./tool-output.module.css";

interface ToolOutputProps {
  runId: string;
  messageId: string;
  content: MessageText;
  expanded: boolean;
  toggle?: (() => void) | undefined;
  failed?: boolean;
}

const PREVIEW_LINES = 8;
const PREVIEW_LENGTH = 1_600;

export function ToolOutput({ runId, messageId, content, expanded, toggle, failed = false }: ToolOutputProps) {
  if (content.text === "") return null;
  const shown = expanded ? content.text : firstLines(content.text, PREVIEW_LINES, PREVIEW_LENGTH);
  const isFolded = shown.length < content.length;
  const isPartial = content.length > content.text.length;
  return (
    <div className={classes.output} data-failed={failed}>
      {expanded && isPartial ? (
        <LongText runId={runId} messageId={messageId} content={content} />
      ) : (
        <pre className={classes.pre} tabIndex={0} data-opened={expanded}>
          <AnsiText text={shown} />
        </pre>
      )}
      <div className={classes.copy}>{!isPartial && <CopyButton text={content.text} />}</div>
      {toggle && (isFolded || (expanded && content.text.length > PREVIEW_LENGTH)) && (
        <UnstyledButton className={classes.showAll} onClick={toggle}>
          {expanded ? "Show less" : `Show all · ${bytes(content.length)}`}
        </UnstyledButton>
      )}
    </div>
  );
}
