// One open question: who asks, what is asked in full, and the answers. Keys work while the card has the focus.
import {
  IconAlertTriangle,
  IconCoin,
  IconGitMerge,
  IconHelpCircle,
  IconShieldQuestion,
  IconUserCheck,
} from "@tabler/icons-react";
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useId, useRef } from "react";
import type { Question } from "@/api/questions";
import { KIND_LABELS, type Option, optionForKey } from "@/domain/questions/outcome";
import { escapeBidi } from "@/domain/text/bidi";
import { RelativeTime } from "../data/time";
import { LoadingLine } from "../feedback/placeholders";
import { TextLink } from "../link";
import { withRetry } from "../routing/retry";
import { CodeSpans } from "../text/code-spans";
import { AnswerForm } from "./answer-form";
import { EvidenceView, LoadEvidence, useEvidence } from "./evidence";
import classes from "./question-card.module.css";
import { useAnswer } from "./use-answer";

const PlayDiff = lazy(withRetry(() => import("./play-diff")));
// A page with many questions shows less of each.
const FOLDED_DIFF = { show: 16, play: 200, run: 60 };

export const KIND_ICONS = {
  permission: IconShieldQuestion,
  question: IconHelpCircle,
  gate: IconUserCheck,
  budget: IconCoin,
  escalation: IconAlertTriangle,
  conflict: IconGitMerge,
};

interface CardProps {
  question: Question;
  onLost: (id: string) => void;
  /** Beside the time, such as snooze. */
  actions?: ReactNode;
  /** The page says already which run, show or play it is. */
  within?: Within | undefined;
}

export type Within = "run" | "show" | "play";

export function QuestionCard({ question, onLost, actions, within }: CardProps) {
  const { kind, title, created_at } = question;
  const { evidence, ...loading } = useEvidence(question);
  const answer = useAnswer(question, onLost);
  const titleId = useId();
  const words = useRef<HTMLTextAreaElement>(null);
  const pick = useRef<((option: Option) => void) | null>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const option = optionForKey(question.options, event.key);
    if (!option && !(event.key === "d" && question.takes_text)) return;
    event.preventDefault();
    // A denial should have a reason; without a field for it, the button is one key away.
    if (event.key === "d" || !option) words.current ? words.current.focus() : option && pick.current?.(option);
    else pick.current?.(option);
  };
  const Icon = KIND_ICONS[kind];
  // The command stands below the title, which would repeat it.
  const isCommand = kind === "permission" && evidence?.command !== undefined;
  // The title of a person's gate is for lists; here its question is the heading.
  const asked = kind === "gate" ? evidence?.question : undefined;
  const diff = hasDiff(question) && { topic: question.show_topic ?? "", name: question.play_name ?? "" };
  return (
    <article
      className={classes.card}
      data-question={question.id}
      data-kind={kind}
      tabIndex={0}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
    >
      <div className={classes.header}>
        <Icon size={16} stroke={1.8} className={classes.icon} aria-hidden />
        <span className={classes.kind}>{KIND_LABELS[kind]}</span>
        <Source question={question} within={within} />
        <span className={classes.time}>
          <RelativeTime at={created_at} />
        </span>
        {actions}
      </div>
      <div className={classes.titleLine}>
        <span className={classes.title} id={titleId} data-asked={asked !== undefined}>
          {isCommand ? "Allow this command?" : <CodeSpans text={asked ?? title} />}
        </span>
        {evidence?.cwd && (
          <span className={classes.folder}>
            {isCommand && evidence.tool} in <code>{escapeBidi(evidence.cwd)}</code>
          </span>
        )}
      </div>
      {evidence ? (
        <EvidenceView evidence={evidence} title={title} hasFiles={!diff || !within} />
      ) : (
        <LoadEvidence {...loading} />
      )}
      {diff && within && (
        <Suspense fallback={<LoadingLine label="diff" />}>
          <PlayDiff {...diff} folded={FOLDED_DIFF[within]} />
        </Suspense>
      )}
      {question.machine ? (
        <p className={classes.elsewhere}>Answer it on {question.machine}, where its run is.</p>
      ) : (
        <AnswerForm question={question} evidence={evidence} answer={answer} words={words} pick={pick} />
      )}
    </article>
  );
}

/** Whether a decision about the work of a play is asked for. */
function hasDiff({ kind, show_topic, play_name, evidence }: Question): boolean {
  const isDecision = kind === "gate" || kind === "escalation" || kind === "conflict";
  return isDecision && show_topic !== null && play_name !== null && Array.isArray(evidence.files);
}

/** The show, the play and the run that ask, each a link. */
export function Source({ question, within }: { question: Question; within?: Within | undefined }) {
  const { show_topic, play_name, session_id, session_name, attempt } = question;
  if (within === "run") return null;
  const names = [within === "show" ? null : show_topic, play_name].filter(Boolean);
  return (
    <span className={classes.source}>
      {show_topic && names.length > 0 && within !== "play" && (
        <TextLink to="/shows/$topic" params={{ topic: show_topic }} search={play_name ? { play: play_name } : {}}>
          {names.join(" / ")}
        </TextLink>
      )}
      {show_topic && attempt !== null && attempt > 1 && <span>attempt {attempt}</span>}
      {session_id && (
        <TextLink to="/runs/$runId" params={{ runId: session_id }}>
          {show_topic ? "run" : (session_name ?? session_id.slice(-8))}
        </TextLink>
      )}
    </span>
  );
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
