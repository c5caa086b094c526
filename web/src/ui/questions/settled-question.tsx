// A question that was open a moment ago: its outcome, and whether the agent has the answer.
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Question, question as questionQuery } from "@/api/questions";
import { isOpen, outcomeText } from "@/domain/questions/outcome";
import { escapeBidi } from "@/domain/text/bidi";
import { useNow } from "../data/use-now";
import { TextLink } from "../link";
import { Source, type Within } from "./question-card";
import classes from "./question-card.module.css";

const SHOWN_SECONDS = 120;

export function SettledQuestion({
  last,
  lost,
  within,
}: {
  last: Question;
  lost: boolean;
  within?: Within | undefined;
}) {
  const now = useNow();
  const [since] = useState(() => Date.now() / 1000);
  const { data: question } = useQuery(questionQuery(last.id));
  // An open one is only hidden, by a snooze.
  if (!question || isOpen(question) || now - since > SHOWN_SECONDS) return null;
  const isDone = question.answer !== null && !lost;
  const Icon = isDone ? IconCircleCheck : IconCircleX;
  return (
    <div className={classes.settled} data-settled={question.id} data-done={isDone} tabIndex={-1} role="status">
      <Icon size={16} stroke={1.8} className={classes.icon} aria-hidden />
      <span className={classes.settledText}>
        <b>{escapeBidi(outcomeText(question, lost))}</b>
        <span className={classes.settledTitle}>{escapeBidi(question.title)}</span>
      </span>
      <Source question={question} within={within} />
      <TakenAt question={question} />
    </div>
  );
}

function TakenAt({ question }: { question: Question }) {
  const { status, taken_ord, taken_session, session_id } = question;
  const runId = taken_session ?? session_id;
  if (status === "answered" && runId) return <span className={classes.receipt}>waiting for the agent to take it</span>;
  if (status !== "taken") return null;
  if (runId === null || taken_ord === null || taken_ord < 0) return <span className={classes.receipt}>taken</span>;
  return (
    <span className={classes.receipt}>
      taken after{" "}
      <TextLink to="/runs/$runId" params={{ runId }} search={{ m: taken_ord }}>
        #{taken_ord}
      </TextLink>
    </span>
  );
}
