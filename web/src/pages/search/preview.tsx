// The selected message, with the messages before and after it.
import { IconArrowRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { fetchMessages, type Message } from "@/api/messages";
import type { Hit } from "@/api/search";
import { parseAnsi } from "@/domain/text/ansi";
import { highlightParts } from "@/domain/text/highlight";
import { type Entry, entryOf, isRecord, toText } from "@/domain/transcript/message-entry";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import classes from "./preview.module.css";
import { linkTo, Marked } from "./rows";

const AROUND = 1;
const MAX_CHARS = 6000;
const SPEAKERS = { user: "User", assistant: "Assistant", system: "System", tool: "Tool", other: "Message" } as const;

export function Preview({ hit, terms, below = false }: { hit: Hit; terms: string; below?: boolean }) {
  const { session_id: session, ord } = hit;
  const query = useQuery({
    queryKey: keys.messagesAround(session ?? "", ord ?? 0),
    queryFn: ({ signal }) =>
      fetchMessages({ of: "session", id: session ?? "" }, (ord ?? 0) - AROUND - 1, 2 * AROUND + 1, signal),
    enabled: session !== null && ord !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (session === null || ord === null) return <p className={classes.hint}>This message does not belong to a run.</p>;
  return (
    // Focusable: scrolling content must be reachable by keyboard.
    <div className={classes.preview} data-below={below} tabIndex={0}>
      <Loaded query={query} label="Message">
        {(data) => (
          <>
            {data.messages.map((message) => (
              <PreviewMessage key={message.ord} message={message} terms={terms} isHit={message.ord === ord} />
            ))}
          </>
        )}
      </Loaded>
      <TextLink className={classes.openLink} {...linkTo(hit, terms)}>
        Open in the run <IconArrowRight size={13} aria-hidden />
      </TextLink>
    </div>
  );
}

function PreviewMessage({ message, terms, isHit }: { message: Message; terms: string; isHit: boolean }) {
  const { title, text: raw } = readable(entryOf(message));
  const text = parseAnsi(raw)
    .map((piece) => piece.text)
    .join("");
  const part = isHit ? aroundMatch(text, terms) : text.slice(0, 400) + (text.length > 400 ? "…" : "");
  return (
    <section className={classes.previewMessage} data-hit={isHit} aria-label={`Message ${message.ord}`}>
      <h3>
        {title} <span className={classes.ord}>#{message.ord}</span>
      </h3>
      <div className={classes.previewText}>{isHit ? <Marked text={part} terms={terms} /> : part}</div>
    </section>
  );
}

function readable(entry: Entry): { title: string; text: string } {
  switch (entry.kind) {
    case "text":
      return { title: SPEAKERS[entry.speaker], text: entry.body.text };
    case "call":
      return { title: entry.tool, text: isRecord(entry.args) ? fields(entry.args) : entry.body.text };
    case "result":
      return { title: entry.failed ? "Failed result" : "Result", text: entry.body.text };
    case "missing":
      return { title: "Deleted message", text: "" };
  }
}

/** Arguments as a person reads them: one value as it is, several by name. */
function fields(args: Record<string, unknown>): string {
  const entries = Object.entries(args);
  if (entries.length === 1) return toText(entries[0]?.[1]);
  return entries.map(([name, value]) => `${name}: ${toText(value)}`).join("\n");
}

/** A long text from a little before its first match on. */
function aroundMatch(text: string, terms: string): string {
  if (text.length <= MAX_CHARS) return text;
  const [before, match] = highlightParts(text, terms);
  const start = match ? Math.max(0, (before?.isMatch ? 0 : (before?.text.length ?? 0)) - 800) : 0;
  const end = start + MAX_CHARS;
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}
