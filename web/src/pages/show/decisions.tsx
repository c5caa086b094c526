// Who decided what about a show, when and from where.
import { Button, Tooltip } from "@mantine/core";
import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconFileText,
  IconHelpCircle,
  IconMessageReply,
  IconTool,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Decision, showDecisions } from "@/api/shows";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { Panel } from "@/ui/page";
import classes from "./decisions.module.css";
import shared from "./show.module.css";

const SHORT = 8;
const ICONS: Record<Decision["kind"], Icon> = {
  decision: IconCheck,
  asked: IconHelpCircle,
  abort: IconBan,
  refused: IconAlertTriangle,
  plan: IconFileText,
  repair: IconTool,
  answer: IconMessageReply,
};
const PLACES = { page: "on the page", terminal: "in a terminal" };

export function Decisions({ topic }: { topic: string }) {
  const all = useQuery(showDecisions(topic)).data?.decisions ?? [];
  const [whole, setWhole] = useState(false);
  // The questions of the director are in the list of all: the answers say enough.
  const decided = all.filter(({ kind }) => kind !== "asked");
  const shown = whole ? all : decided.slice(0, SHORT);
  if (all.length === 0) return null;
  return (
    <section className={shared.section} aria-label="Decisions">
      <div className={shared.sectionHeader}>
        <h2>Decisions</h2>
        {all.length > shown.length || whole ? (
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setWhole(!whole)}>
            {whole ? "Show decisions only" : `Show all, with ${plural(all.length - decided.length, "question")}`}
          </Button>
        ) : (
          <span />
        )}
      </div>
      <Panel>
        {shown.length === 0 && <p className={classes.none}>No decisions yet</p>}
        <ul className="plain-list">
          {shown.map((entry, index) => (
            <Entry key={`${entry.at} ${index}`} topic={topic} entry={entry} />
          ))}
        </ul>
      </Panel>
    </section>
  );
}

function Entry({ topic, entry }: { topic: string; entry: Decision }) {
  const { sentence, at, kind, overrides, play, attempt, session_id, detail, via, origin } = entry;
  const EntryIcon = overrides ? IconAlertTriangle : ICONS[kind];
  return (
    <li className={classes.entry} data-warning={overrides || kind === "refused"}>
      <EntryIcon size={15} stroke={1.8} className={classes.icon} aria-hidden />
      <div className={classes.text}>
        <span>{escapeBidi(sentence.charAt(0).toUpperCase() + sentence.slice(1))}</span>
        {detail && <div className={classes.detail}>{escapeBidi(detail)}</div>}
      </div>
      <span className={classes.facts}>
        {play && (
          <TextLink to="/shows/$topic" params={{ topic }} search={{ play }}>
            {attempt ? `${play}, attempt ${attempt}` : play}
          </TextLink>
        )}
        {session_id && (
          <TextLink to="/runs/$runId" params={{ runId: session_id }} aria-label={`Run of ${play}`}>
            run
          </TextLink>
        )}
        {via && (
          <Tooltip label={origin ?? PLACES[via]}>
            <span>{PLACES[via]}</span>
          </Tooltip>
        )}
        <RelativeTime at={at} />
      </span>
    </li>
  );
}
