// A text of any length: parts are fetched as they scroll into view and dropped afterwards.
import { useQuery } from "@tanstack/react-query";
import { CONTENT_PART_SIZE, contentPart } from "@/api/messages";
import { bytes } from "@/domain/text/format";
import type { MessageText } from "@/domain/transcript/message-entry";
import { VirtualList } from "@/ui/list/virtual-list";
import { AnsiText } from "@/ui/text/code-block";
import classes from "./tool-output.module.css";

interface LongTextProps {
  runId: string;
  messageId: string;
  content: MessageText;
}

// Lines of 80 characters, 18 pixels each.
const ESTIMATED_PART_HEIGHT = (CONTENT_PART_SIZE / 80) * 18;

export function LongText({ runId, messageId, content }: LongTextProps) {
  const parts = Math.ceil(content.length / CONTENT_PART_SIZE);
  return (
    <div className={classes.longText}>
      <div className={classes.longTextHeader}>{bytes(content.length)}, loaded as you scroll</div>
      <div className={classes.longTextBody}>
        <VirtualList
          label="Parts of the text"
          count={parts}
          estimate={ESTIMATED_PART_HEIGHT}
          keyOf={(part) => part}
          overscan={0}
          render={(part) => <ContentPart runId={runId} messageId={messageId} name={content.key} part={part} />}
        />
      </div>
    </div>
  );
}

function ContentPart({
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
  const status = text.error ? `Could not load this part: ${text.error.message}` : "Loading…";
  return (
    <pre className={classes.part} style={{ minHeight: ESTIMATED_PART_HEIGHT }}>
      {status}
    </pre>
  );
}
