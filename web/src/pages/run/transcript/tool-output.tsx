// Output of a tool, verbatim: short ones whole, the first lines of others, then all of it, in parts if it is large.
import { UnstyledButton } from "@mantine/core";
import { bytes, formatInteger } from "@/domain/text/format";
import { withoutLineNumbers } from "@/domain/text/language";
import { firstLines, type MessageText } from "@/domain/transcript/message-entry";
import { AnsiText } from "@/ui/text/code-block";
import { CopyButton } from "@/ui/text/copy-button";
import { HighlightedCode } from "@/ui/text/highlighted-code";
import { LongText } from "./long-text";
import classes from "./tool-output.module.css";

interface ToolOutputProps {
  runId: string;
  messageId: string;
  content: MessageText;
  expanded: boolean;
  toggle?: (() => void) | undefined;
  failed?: boolean;
  /** The language of a file. */
  language?: string | undefined;
}

// An output of this many lines is shown whole; of a longer one the first lines.
const WHOLE_LINES = 20;
const PREVIEW_LINES = 12;
const PREVIEW_LENGTH = 4_000;
// Highlighting a longer text would block the page.
const MAX_HIGHLIGHTED = 60_000;

export function ToolOutput(props: ToolOutputProps) {
  const { runId, messageId, content, expanded, toggle, failed = false, language } = props;
  if (content.text === "") return null;
  const isPartial = content.length > content.text.length;
  const whole = firstLines(content.text.trimEnd(), WHOLE_LINES, PREVIEW_LENGTH);
  const isShort = !isPartial && whole.length === content.text.trimEnd().length;
  const shown = expanded ? content.text : isShort ? whole : firstLines(whole, PREVIEW_LINES, PREVIEW_LENGTH);
  return (
    <div className={classes.output} data-failed={failed}>
      {expanded && isPartial ? (
        <LongText runId={runId} messageId={messageId} content={content} />
      ) : (
        <pre className={classes.pre} tabIndex={0} data-opened={expanded}>
          {language && shown.length < MAX_HIGHLIGHTED ? (
            <FileLines text={shown} language={language} />
          ) : (
            <AnsiText text={shown} />
          )}
        </pre>
      )}
      <div className={classes.copy}>{!isPartial && <CopyButton text={content.text} />}</div>
      {toggle && !isShort && (
        <UnstyledButton className={classes.showAll} onClick={toggle}>
          {expanded ? "Show less" : `Show all${isPartial ? ` · ${bytes(content.length)}` : ` ${size(content.text)}`}`}
        </UnstyledButton>
      )}
    </div>
  );
}

function size(text: string): string {
  const lines = text.trimEnd().split("\n").length;
  return lines > 1 ? `${formatInteger(lines)} lines` : `· ${bytes(text.length)}`;
}

/** A file as a tool read it, with the line numbers in a column of their own. */
function FileLines({ text, language }: { text: string; language: string }) {
  const { numbers, code } = withoutLineNumbers(text);
  if (!numbers) return <HighlightedCode text={text} language={language} />;
  return (
    <span className={classes.fileLines}>
      <span className={classes.lineNumbers} aria-hidden>
        {numbers.join("\n")}
      </span>
      <span className={classes.fileCode} tabIndex={0}>
        <HighlightedCode text={code} language={language} />
      </span>
    </span>
  );
}
