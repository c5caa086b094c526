// Messages of a team; a long one shows its summary until it is expanded.
import { UnstyledButton } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Fragment, useEffect, useRef, useState } from "react";
import type { TeamDetail, TeamMessage } from "@/api/teams";
import { dayOf, previewOf } from "@/domain/team-messages";
import { bytes } from "@/domain/text/format";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { CopyButton } from "@/ui/text/copy-button";
import { Markdown } from "@/ui/text/markdown";
import classes from "./message-list.module.css";

interface MessagesProps {
  messages: TeamMessage[];
  /** The message that the address points at. */
  marked: string | undefined;
  linked: TeamDetail["linked"];
  older: (() => void) | undefined;
}

export function Messages({ messages, marked, linked, older }: MessagesProps) {
  const names = new Map(linked.map((run) => [run.id, run.name]));
  return (
    <>
      {older && (
        <UnstyledButton className={classes.olderButton} onClick={older}>
          Older messages
        </UnstyledButton>
      )}
      <ol className={classes.messages} aria-label="Messages">
        {messages.map((message, index) => (
          <Fragment key={message.id}>
            {dayOf(message.created_at) !== dayOf(messages[index - 1]?.created_at ?? Number.NaN) && (
              <li className={classes.day}>{dayOf(message.created_at)}</li>
            )}
            <Message message={message} run={names.get(message.session_id ?? "")} marked={message.id === marked} />
          </Fragment>
        ))}
      </ol>
    </>
  );
}

interface MessageProps {
  message: TeamMessage;
  run: string | null | undefined;
  marked: boolean;
}

function Message({ message, run, marked }: MessageProps) {
  const [open, setOpen] = useState(marked);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (marked) row.current?.scrollIntoView({ block: "center" });
  }, [marked]);
  const { text, truncated: folded } = previewOf(message);
  return (
    <li ref={row} className={classes.message} data-message={message.id} data-marked={marked}>
      <div className={classes.header}>
        <b>{message.sender}</b>
        <IconArrowRight size={12} aria-label="to" />
        <span>{message.recipient === "all" ? "everyone" : message.recipient}</span>
        <RelativeTime at={message.created_at} />
        {message.session_id && (
          <TextLink to="/runs/$runId" params={{ runId: message.session_id }} className={classes.runLink}>
            {run ?? "Session"}
          </TextLink>
        )}
        <span className={classes.readBy}>
          {message.read_by.length > 0 ? `read by ${message.read_by.join(", ")}` : "unread"}
        </span>
        <CopyButton text={linkOf(message.id)} label="Copy link to this message" />
      </div>
      <Markdown text={open || !folded ? message.content : text} />
      {folded && (
        <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Collapse" : `Expand (${bytes(message.content.length)})`}
        </UnstyledButton>
      )}
    </li>
  );
}

const linkOf = (id: string): string => `${location.origin}${location.pathname}?m=${encodeURIComponent(id)}`;
