// The messages of two runs side by side, from the first difference.
import { useQuery } from "@tanstack/react-query";
import type { Schema } from "@/api/keys";
import { firstMessages, type Message } from "@/api/messages";
import { type Run, run } from "@/api/runs";
import { afterShared, firstDifference } from "@/domain/runs/compare";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { entryOf, firstLines } from "@/domain/transcript/message-entry";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { AnsiText } from "@/ui/text/code-block";
import classes from "./compare.module.css";

const SHOWN = 6;

type Detail = Schema<"RunDetail">;

export function FirstDifference({ a, b }: { a: Run; b: Run }) {
  const [first, second] = [useQuery(run(a.id)), useQuery(run(b.id))];
  return (
    <Loaded query={first} label="First run">
      {(left) => (
        <Loaded query={second} label="Second run">
          {(right) => <AfterShared a={left} b={right} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function AfterShared({ a, b }: { a: Detail; b: Detail }) {
  const ranges = afterShared(a, b);
  const first = useQuery(firstMessages(ranges.a));
  const second = useQuery(firstMessages(ranges.b));
  return (
    <Loaded query={first} label="Messages">
      {(left) => (
        <Loaded query={second} label="Messages">
          {(right) => <MessageColumns a={a} b={b} shared={ranges.shared} left={left} right={right} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface MessageColumnsProps {
  a: Detail;
  b: Detail;
  /** The messages before these that are in both runs. */
  shared: number;
  left: Message[];
  right: Message[];
}

function MessageColumns({ a, b, shared, left, right }: MessageColumnsProps) {
  const at = firstDifference(left, right);
  if (at === undefined)
    return <p className="muted">The first {plural(shared + left.length, "message")} are the same</p>;
  return (
    <>
      <p className="muted">
        {shared + at === 0 ? "The first messages differ" : `Differs after ${plural(shared + at, "identical message")}`}
      </p>
      <div className={classes.columns}>
        <MessageColumn run={a} messages={left.slice(at, at + SHOWN)} />
        <MessageColumn run={b} messages={right.slice(at, at + SHOWN)} />
      </div>
    </>
  );
}

function MessageColumn({ run: { session }, messages }: { run: Detail; messages: Message[] }) {
  return (
    <div className={classes.column}>
      <h3 className={classes.columnTitle}>{escapeBidi(session.display_name)}</h3>
      {messages.length === 0 && <p className="muted">No more messages</p>}
      <ol className={classes.messages}>
        {messages.map((message) => {
          const { speaker, text } = summarize(message);
          return (
            <li key={message.id}>
              <TextLink to="/runs/$runId" params={{ runId: session.id }} search={{ m: message.id }}>
                {speaker} #{message.ord}
              </TextLink>
              <div className={classes.messageText}>
                {text === "" ? <span className="muted">No text</span> : <AnsiText text={firstLines(text, 12, 900)} />}
              </div>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function summarize(message: Message): { speaker: string; text: string } {
  const entry = entryOf(message);
  switch (entry.kind) {
    case "text":
      return { speaker: entry.speaker, text: entry.body.text || (entry.thinking?.text ?? "") };
    case "call":
      return { speaker: `calls ${entry.tool}`, text: entry.body.text };
    case "result":
      return { speaker: entry.failed ? "tool failed" : "tool", text: entry.body.text };
    case "missing":
      return { speaker: "missing", text: "" };
  }
}
