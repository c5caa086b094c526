// A text of any length in a box of its own: parts are fetched as they come into view, and those gone by are let go.
import { useQuery } from "@tanstack/react-query";
import { contentPart, PART } from "@/api/messages";
import { bytes } from "@/domain/text/format";
import type { Words } from "@/domain/transcript/message-entry";
import { VirtualList } from "@/ui/list/virtual-list";
import { AnsiText } from "@/ui/text/code-block";
import classes from "./tool-output.module.css";

interface LongTextProps {
  runId: string;
  messageId: string;
  words: Words;
}

// Characters of a part in lines of eighty, eighteen pixels each.
const LIKELY = (PART / 80) * 18;

export function LongText({ runId, messageId, words }: LongTextProps) {
  const parts = Math.ceil(words.length / PART);
  return (
    <div className={classes.long}>
      <div className={classes.longHead}>{bytes(words.length)}, fetched as you scroll</div>
      <div className={classes.longBox}>
        <VirtualList
          label="Parts of the text"
          count={parts}
          estimate={LIKELY}
          keyOf={(part) => part}
          overscan={0}
          render={(part) => <Part runId={runId} messageId={messageId} name={words.key} part={part} />}
        />
      </div>
    </div>
  );
}

function Part({
  runId,
  messageId,
  name,
  part,
}: {
  runId: string;
  messageId: string;
  name: string;
  part: number;
}) {
  const text = useQuery(contentPart(runId, messageId, name, part));
  if (text.data !== undefined) {
    return (
      <pre className={classes.part}>
        <AnsiText text={text.data} />
      </pre>
    );
  }
  const said = text.error ? `This part could not be read: ${text.error.message}` : "Reading on…";
  return (
    <pre className={classes.part} style={{ minHeight: LIKELY }}>
      {said}
    </pre>
  );
}
