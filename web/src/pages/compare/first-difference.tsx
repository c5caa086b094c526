// The first messages of two runs side by side, from where they are no longer the same.
import { useQuery } from "@tanstack/react-query";
import { type Message, messagePiece } from "@/api/messages";
import type { Run } from "@/api/runs";
import { parting } from "@/domain/runs/compare";
import { visible } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { entryOf, firstLines } from "@/domain/transcript/message-entry";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import classes from "./compare.module.css";

const SHOWN = 6;

export function Parting({ a, b }: { a: Run; b: Run }) {
  const first = useQuery(messagePiece({ of: "session", id: a.id }, 0));
  const second = useQuery(messagePiece({ of: "session", id: b.id }, 0));
  return (
    <Loaded query={first} what="The messages">
      {({ messages: left }) => (
        <Loaded query={second} what="The messages">
          {({ messages: right }) => <Sides a={a} b={b} left={left} right={right} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Sides(props: { a: Run; b: Run; left: Message[]; right: Message[] }) {
  const { a, b, left, right } = props;
  const at = parting(left, right);
  if (at === undefined)
    return <p className={classes.dim}>The first {plural(left.length, "message")} of both say the same.</p>;
  return (
    <>
      <p className={classes.dim}>
        {at === 0 ? "From the first message on." : `After ${plural(at, "message")} that say the same.`}
      </p>
      <div className={classes.sides}>
        <Side run={a} messages={left.slice(at, at + SHOWN)} />
        <Side run={b} messages={right.slice(at, at + SHOWN)} />
      </div>
    </>
  );
}

function Side({ run, messages }: { run: Run; messages: Message[] }) {
  if (messages.length === 0) return <p className={classes.dim}>Nothing more was said.</p>;
  return (
    <ol className={classes.side}>
      {messages.map((message) => {
        const { who, text } = gistOf(message);
        return (
          <li key={message.id}>
            <TextLink to="/runs/$runId" params={{ runId: run.id }} search={{ m: message.ord }}>
              {who} #{message.ord}
            </TextLink>
            <div className={classes.text}>{visible(firstLines(text, 12, 900))}</div>
          </li>
        );
      })}
    </ol>
  );
}

function gistOf(message: Message): { who: string; text: string } {
  const entry = entryOf(message);
  switch (entry.kind) {
    case "words":
      return { who: entry.speaker, text: entry.words.text || (entry.thinking?.text ?? "") };
    case "call":
      return { who: `calls ${entry.tool}`, text: entry.words.text };
    case "result":
      return { who: entry.failed ? "tool failed" : "tool", text: entry.words.text };
    case "gone":
      return { who: "gone", text: "" };
  }
}
