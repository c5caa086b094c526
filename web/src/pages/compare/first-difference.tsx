// The messages of two runs side by side, from the first difference.
import { useQuery } from "@tanstack/react-query";
import { type Message, messageChunk } from "@/api/messages";
import type { Run } from "@/api/runs";
import { firstDifference } from "@/domain/runs/compare";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { entryOf, firstLines } from "@/domain/transcript/message-entry";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import classes from "./compare.module.css";

const SHOWN = 6;

export function FirstDifference({ a, b }: { a: Run; b: Run }) {
  const first = useQuery(messageChunk({ of: "session", id: a.id }, 0));
  const second = useQuery(messageChunk({ of: "session", id: b.id }, 0));
  return (
    <Loaded query={first} label="Messages">
      {({ messages: left }) => (
        <Loaded query={second} label="Messages">
          {({ messages: right }) => <MessageColumns a={a} b={b} left={left} right={right} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function MessageColumns(props: { a: Run; b: Run; left: Message[]; right: Message[] }) {
  const { a, b, left, right } = props;
  const at = firstDifference(left, right);
  if (at === undefined) return <p className="muted">The first {plural(left.length, "message")} are the same</p>;
  return (
    <>
      <p className="muted">
        {at === 0 ? "The first messages differ" : `Differs after ${plural(at, "identical message")}`}
      </p>
      <div className={classes.columns}>
        <MessageColumn run={a} messages={left.slice(at, at + SHOWN)} />
        <MessageColumn run={b} messages={right.slice(at, at + SHOWN)} />
      </div>
    </>
  );
}

function MessageColumn({ run, messages }: { run: Run; messages: Message[] }) {
  if (messages.length === 0) return <p className="muted">No more messages</p>;
  return (
    <ol className={classes.messages}>
      {messages.map((message) => {
        const { speaker, text } = summarize(message);
        return (
          <li key={message.id}>
            <TextLink to="/runs/$runId" params={{ runId: run.id }} search={{ m: message.ord }}>
              {speaker} #{message.ord}
            </TextLink>
            <div className={classes.messageText}>{escapeBidi(firstLines(text, 12, 900))}</div>
          </li>
        );
      })}
    </ol>
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
