// What the agent asked, the answers, and the messages after which it had them.
import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import type { Question } from "@/api/questions";
import { KIND_LABELS, outcomeText } from "@/domain/questions/outcome";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const SHOWN = 25;

export function Questions({ detail, questions, goTo }: SectionProps) {
  const [limit, setLimit] = useState(SHOWN);
  const newest = questions.slice(-limit).reverse();
  return (
    <>
      <ul className="plain-list">
        {newest.map((question) => (
          <li key={question.id} className={classes.question} data-answered={question.answer !== null}>
            <span className={classes.asked} title={escapeBidi(question.title)}>
              <span className="muted">{KIND_LABELS[question.kind]}</span> {escapeBidi(question.title)}
            </span>
            <b className={classes.outcome}>{escapeBidi(outcomeText(question))}</b>
            <span className="muted">
              {question.answer?.arguments && <em>arguments changed · </em>}
              <RelativeTime at={question.answered_at ?? question.created_at} />
              <Taken question={question} runId={detail.session.id} goTo={goTo} />
            </span>
          </li>
        ))}
      </ul>
      {questions.length > limit && (
        <UnstyledButton className={classes.moreButton} onClick={() => setLimit(limit + 200)}>
          {plural(questions.length - limit, "earlier question")}
        </UnstyledButton>
      )}
    </>
  );
}

interface TakenProps {
  question: Question;
  runId: string;
  goTo: (ord: number) => void;
}

/** "after #12"; a run that died while it waited is continued by another one, which took the answer. */
function Taken({ question: { status, taken_ord, taken_session }, runId, goTo }: TakenProps) {
  if (status === "answered") return " · not taken yet";
  if (status !== "taken" || taken_ord === null || taken_ord < 0) return null;
  if (taken_session === null || taken_session === runId)
    return (
      <>
        {" · "}
        <UnstyledButton className={classes.after} onClick={() => goTo(taken_ord)}>
          after #{taken_ord}
        </UnstyledButton>
      </>
    );
  return (
    <>
      {" · "}
      <TextLink to="/runs/$runId" params={{ runId: taken_session }} search={{ m: taken_ord }}>
        after #{taken_ord} of {taken_session.slice(-8)}
      </TextLink>
    </>
  );
}
