// Messages of a team; a long one shows its summary until it is expanded.
import { UnstyledButton } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { Fragment, useState } from "react";
import type { TeamDetail, TeamMessage } from "@/api/teams";
import { dayOf, previewOf } from "@/domain/team-messages";
import { bytes } from "@/domain/text/format";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { Markdown } from "@/ui/text/markdown";
import classes from "./message-list.module.css";

interface MessagesProps {
  messages: TeamMessage[];
  linked: TeamDetail["linked"];
  older: (() => void) | undefined;
}

export function Messages({ messages, linked, older }: MessagesProps) {
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
            <Message message={message} run={names.get(message.session_id ?? "")} />
          </Fragment>
        ))}
      </ol>
    </>
  );
}

function Message({ message, run }: { message: TeamMessage; run: string | null | undefined }) {
  const [open, setOpen] = useState(false);
  const { text, truncated: folded } = previewOf(message);
  return (
    <li className={classes.message} data-message={message.id}>
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
      </div>
      {open || !folded ? <Markdown text={message.content} /> : <p className={classes.summary}>{text}</p>}
      {folded && (
        <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Collapse" : `Expand (${bytes(message.content.length)})`}
        </UnstyledButton>
      )}
    </li>
  );
}
