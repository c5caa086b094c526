// What needs the user: questions first, then what is escalated, stuck or dead, and what failed.
import { IconCircleCheck } from "@tabler/icons-react";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { AttentionItem } from "@/api/home";
import type { Question } from "@/api/questions";
import { arrange, type Block } from "@/domain/attention";
import { useNow } from "@/ui/data/use-now";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { Panel, Section } from "@/ui/page";
import { QuestionList } from "@/ui/questions/question-list";
import classes from "./attention.module.css";
import { AttentionRow, ItemRow, linkFor } from "./attention-row";
import { HideButtons } from "./hide-buttons";
import shared from "./home.module.css";

type HomeBlock = Block<AttentionItem, Question>;
const MAX_QUESTIONS = 8;
const MAX_ROWS = 8;

interface ListProps {
  items: AttentionItem[];
  questions: readonly Question[];
  /** The number of all open questions, of which the list may have the first. */
  openCount: number;
}

export function AttentionList({ items, questions, openCount }: ListProps) {
  const [all, setAll] = useState(false);
  const [withHidden, setWithHidden] = useState(false);
  const { blocks, hidden, count } = arrange(items, questions, useNow());
  const listed = all ? blocks : cut(blocks);
  const rows = listed.flatMap((block) => block.rows);
  const cards = listed.flatMap((block) => block.questions);
  const shown = cards.length + rows.reduce((sum, row) => sum + row.items.length, 0);
  const total = count + Math.max(0, openCount - questions.length);
  const activeKey = useAttentionKeys(listed);
  useFirstQuestion();
  const itemOf = new Map(items.map((item) => [item.question, item]));
  const actionsFor = (question: Question) => {
    const item = itemOf.get(question.id);
    return <HideButtons items={item ? [item] : []} />;
  };
  return (
    <Section title="Needs you" beside={<span className="muted">{total > 0 && total}</span>}>
      <Panel>
        {total === 0 && <AllClear />}
        {listed.map((block, index) => (
          <div key={index} className={classes.block}>
            <QuestionList questions={block.questions} actionsFor={actionsFor} />
            {block.rows.length > 0 && (
              <ul className={shared.list}>
                {block.rows.map((row) => (
                  <AttentionRow key={row.key} row={row} active={row.key === activeKey} />
                ))}
              </ul>
            )}
          </div>
        ))}
        {withHidden && hidden.length > 0 && (
          <ul className={shared.list} aria-label="Snoozed and dismissed">
            {hidden.map((item) => (
              <ItemRow key={item.id} item={item} />
            ))}
          </ul>
        )}
        {shown < count && !all && (
          <button type="button" className={shared.footerButton} onClick={() => setAll(true)}>
            {count - shown} more
          </button>
        )}
        {hidden.length > 0 && (
          <button type="button" className={shared.footerButton} onClick={() => setWithHidden(!withHidden)}>
            {withHidden ? "Hide snoozed and dismissed" : hiddenLabel(hidden)}
          </button>
        )}
      </Panel>
    </Section>
  );
}

/** The first questions and the first rows. */
function cut(blocks: readonly HomeBlock[]): HomeBlock[] {
  let [questionsLeft, rowsLeft] = [MAX_QUESTIONS, MAX_ROWS];
  return blocks.map(({ questions, rows }) => {
    const first = { questions: questions.slice(0, questionsLeft), rows: rows.slice(0, rowsLeft) };
    questionsLeft -= first.questions.length;
    rowsLeft -= first.rows.length;
    return first;
  });
}

/** j, k and Enter over cards and rows: a card gets the focus, a row is marked. Returns the key of that row. */
function useAttentionKeys(blocks: readonly HomeBlock[]): string | undefined {
  const navigate = useNavigate();
  const targets = blocks.flatMap(({ questions, rows }) => [
    ...questions.map((question) => ({
      card: question.id,
      row: undefined,
      link: { topic: question.show_topic, play: question.play_name, session_id: question.session_id },
    })),
    ...rows.map((row) => ({ card: undefined, row: row.key, link: row.items[0] })),
  ]);
  const focus = (index: number): void => {
    const { card } = targets[index] ?? {};
    if (card) document.querySelector<HTMLElement>(`[data-question="${CSS.escape(card)}"]`)?.focus();
    else (document.activeElement as HTMLElement | null)?.blur();
  };
  const open = (index: number): void => {
    const target = targets[index];
    if (target) void navigate(linkFor(target.link));
  };
  const [at] = useListKeys({ count: targets.length, open, reveal: focus });
  return targets[at]?.row;
}

/** Focuses the first question when `q` of another page led here. */
function useFirstQuestion(): void {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  useEffect(() => {
    if (hash !== "q") return;
    document.querySelector<HTMLElement>("[data-question]")?.focus();
    // Not when the page is loaded again.
    void navigate({ to: "/", replace: true, resetScroll: false });
  }, [hash, navigate]);
}

function hiddenLabel(hidden: readonly AttentionItem[]): string {
  const dismissed = hidden.filter((item) => item.dismissed).length;
  const snoozed = hidden.length - dismissed;
  return [snoozed > 0 && `${snoozed} snoozed`, dismissed > 0 && `${dismissed} dismissed`].filter(Boolean).join(", ");
}

function AllClear() {
  return (
    <div className={classes.allClear}>
      <IconCircleCheck size={17} stroke={1.8} /> Nothing needs you
    </div>
  );
}
