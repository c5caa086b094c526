// The open questions of a page. One that was answered or withdrawn stays for a while as a line with its outcome, in its
// place, so that nothing jumps under the pointer.
import { Button } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { markShown, type Question } from "@/api/questions";
import { useShortcuts } from "../keyboard/shortcuts";
import { QuestionCard, type Within } from "./question-card";
import classes from "./question-card.module.css";
import { SettledQuestion } from "./settled-question";

const MAX_SETTLED = 3;
const MAX_OPEN = 20; // cards are costly: hundreds of them would make every key slow

interface ListProps {
  questions: readonly Question[];
  /** Beside the time of a question, such as snooze. */
  actionsFor?: (question: Question) => ReactNode;
  within?: Within;
}

export function QuestionList({ questions: all, actionsFor, within }: ListProps) {
  const [most, setMost] = useState(MAX_OPEN);
  const questions = all.slice(0, most);
  const [known, setKnown] = useState<ReadonlyMap<string, Question>>(new Map());
  const [lost, setLost] = useState<ReadonlySet<string>>(new Set());
  const open = new Map(questions.map((question) => [question.id, question]));
  if (questions.some(({ id }) => !known.has(id))) setKnown(new Map([...known, ...open]));
  const settled = [...known.keys()].filter((id) => !open.has(id)).slice(-MAX_SETTLED);
  const shown = [...known.values()].filter(({ id }) => open.has(id) || settled.includes(id));
  useMarkShown(questions);
  const list = useFocusOnOutcome(settled);
  if (shown.length === 0) return null;
  return (
    <div className={classes.list} ref={list}>
      {questions.length > 0 && <QuestionKeys />}
      {shown.map((last) => {
        const question = open.get(last.id);
        return question ? (
          <QuestionCard
            key={last.id}
            question={question}
            onLost={(id) => setLost((old) => new Set([...old, id]))}
            actions={actionsFor?.(question)}
            within={within}
          />
        ) : (
          <SettledQuestion key={`${last.id} settled`} last={last} lost={lost.has(last.id)} within={within} />
        );
      })}
      {questions.length < all.length && (
        <Button variant="subtle" onClick={() => setMost(most + MAX_OPEN)}>
          Show more questions
        </Button>
      )}
    </div>
  );
}

/** Tells the server once that a person can see these questions, which a hidden tab does not show. */
function useMarkShown(questions: readonly Question[]): void {
  const marked = useRef(new Set<string>());
  useEffect(() => {
    const mark = (): void => {
      const ids = questions
        .filter(({ id, status }) => status === "asked" && !marked.current.has(id))
        .map(({ id }) => id);
      if (document.hidden || ids.length === 0) return;
      for (const id of ids) marked.current.add(id);
      markShown(ids).catch(() => {}); // only a note of the server
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [questions]);
}

/** Moves the focus from a card that is gone to its outcome. Not to the next card: a second key press would answer it. */
function useFocusOnOutcome(settled: readonly string[]) {
  const list = useRef<HTMLDivElement>(null);
  const focused = useRef<string | undefined>(undefined);
  useEffect(() => {
    const remember = ({ target }: FocusEvent): void => {
      const card = (target as Element).closest<HTMLElement>("[data-question]");
      focused.current = card?.dataset.question;
    };
    document.addEventListener("focusin", remember);
    return () => document.removeEventListener("focusin", remember);
  }, []);
  const last = settled.at(-1);
  useEffect(() => {
    if (last === undefined || last !== focused.current) return;
    focused.current = undefined;
    // The outcome is rendered when it is loaded, which for an own answer is at once.
    const outcome = list.current?.querySelector<HTMLElement>(`[data-settled="${CSS.escape(last)}"]`);
    if (document.activeElement === document.body) outcome?.focus();
  }, [last]);
  return list;
}

/** The keys that lead to a card; the card itself handles those that answer. */
function QuestionKeys() {
  const group = "Questions";
  useShortcuts([
    { keys: "q", label: "Go to the next question", group, run: focusNextQuestion },
    { keys: "a", label: "Allow (question in focus)", group, run: focusNextQuestion },
    { keys: "d", label: "Deny with a reason (question in focus)", group, run: focusNextQuestion },
    { keys: "1", label: "Answer with option 1 … 9 (question in focus)", group, run: focusNextQuestion },
  ]);
  return null;
}

function focusNextQuestion(): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-question]")];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const next = cards[(at + 1) % cards.length];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
