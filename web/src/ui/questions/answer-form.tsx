// The answers that are possible: options as buttons, words, and changed arguments.

import { Button, Kbd, Textarea, Tooltip } from "@mantine/core";
import { type RefObject, useImperativeHandle, useState } from "react";
import type { NewAnswer, Question } from "@/api/questions";
import { failedChecksText } from "@/domain/questions/checks";
import { type Evidence, parseArguments } from "@/domain/questions/evidence";
import type { Option } from "@/domain/questions/outcome";
import { escapeBidi } from "@/domain/text/bidi";
import { toText } from "@/domain/transcript/message-entry";
import { isSubmitKey } from "../keyboard/submit-key";
import { useHasKeyboard } from "../keyboard/use-has-keyboard";
import { CodeSpans } from "../text/code-spans";
import { Effects } from "./effects";
import classes from "./question-card.module.css";
import type { useAnswer } from "./use-answer";

interface AnswerFormProps {
  question: Question;
  evidence: Evidence | undefined;
  answer: ReturnType<typeof useAnswer>;
  /** The field for words, which `d` focuses. */
  words: RefObject<HTMLTextAreaElement | null>;
  pick: RefObject<((option: Option) => void) | null>;
}

export function AnswerForm({ question, evidence, answer, words, pick }: AnswerFormProps) {
  const { kind, options, takes_text, takes_arguments } = question;
  const isDecision = kind === "gate" || kind === "escalation" || kind === "conflict";
  // Feedback for the next attempt; a person may change it.
  const prefill = isDecision && evidence ? failedChecksText(evidence.checks) : "";
  const [changed, setText] = useState<string>();
  const text = changed ?? prefill;
  const [typed, setTyped] = useState<Record<string, string>>();
  const [problem, setProblem] = useState<string>();
  const hasKeyboard = useHasKeyboard();
  const deny = options.find(({ effect }) => effect === "deny");
  const always = options.find(({ effect }) => effect === "allow_always");
  // To merge work that failed is the exception; to repeat it is the rule.
  const checks = evidence?.checks ?? [];
  const mergesFailure = isDecision && kind !== "gate" && !(checks.length > 0 && checks.every(({ passed }) => passed));
  const isPrimary = ({ id, effect }: Option): boolean => (mergesFailure ? id === "redo" : effect === "allow");
  // Words alone are an answer only where every option is a reply.
  const canReply = takes_text && options.every(({ effect }) => effect === "reply");
  const send = (option?: Option): void => {
    // Read from the field: a key may arrive before the last letter is rendered.
    const written = (words.current?.value ?? text).trim();
    const said = option?.effect === "allow" && written === prefill.trim() ? "" : written;
    if (!option && said === "") return;
    if (option?.needs_text && said === "") {
      setProblem(`${option.label} needs words: ${kind === "budget" ? "the amount" : "what should change"}`);
      words.current?.focus();
      return;
    }
    const body: NewAnswer = { ...(option ? { option: option.id } : {}), ...(said ? { text: said } : {}) };
    try {
      setProblem(undefined);
      const isChanged = typed && evidence && option?.effect !== "deny";
      void answer.send(isChanged ? { ...body, arguments: parseArguments(evidence.arguments, typed) } : body);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  useImperativeHandle(pick, () => send);
  const denyHint = deny && hasKeyboard ? ` (Ctrl-Enter: ${deny.label})` : "";
  const reader = kind === "permission" ? ", which the agent reads" : "";
  const reason = `${isDecision ? "Feedback for the agent" : `Reason${reader}`}${denyHint}`;
  const reply = `Reply…${hasKeyboard ? " (Ctrl-Enter sends)" : ""}`;
  const placeholder = canReply ? reply : kind === "budget" ? "Amount" : reason;
  const hasArguments = evidence !== undefined && Object.keys(evidence.arguments).length > 0;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {typed && evidence && <ArgumentFields given={evidence.arguments} typed={typed} change={setTyped} />}
      <div className={classes.row} data-reply={canReply}>
        <div className={classes.buttons}>
          {options.map((option, index) => (
            <OptionButton
              key={option.id}
              option={option}
              hint={keyHint(options, option, index)}
              busy={answer.sending?.option === option.id}
              disabled={answer.sending !== undefined}
              changed={typed !== undefined}
              isExplained={isDecision}
              isPrimary={isPrimary(option)}
              pick={() => send(option)}
            />
          ))}
          {takes_arguments && hasArguments && (
            <Button variant="subtle" color="gray" onClick={() => setTyped(typed ? undefined : {})}>
              {typed ? "Discard changes" : "Edit arguments"}
            </Button>
          )}
        </div>
        {takes_text && (
          <div className={classes.words}>
            <Textarea
              ref={words}
              aria-label={canReply ? "Your reply" : "Words for the agent"}
              placeholder={placeholder}
              autosize
              minRows={1}
              maxRows={8}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (isSubmitKey(event)) send(canReply ? undefined : deny);
                if (event.key === "Escape") event.currentTarget.closest<HTMLElement>("[data-question]")?.focus();
              }}
            />
            {canReply && (
              <Button
                type="submit"
                variant={options.length === 0 ? "filled" : "default"}
                loading={answer.sending !== undefined && answer.sending.option === undefined}
                disabled={text.trim() === ""}
              >
                Send reply
              </Button>
            )}
          </div>
        )}
      </div>
      {isDecision && <Effects options={options} />}
      {always && evidence && (
        <p className={classes.folder}>
          <b>{escapeBidi(always.label)}</b> writes {evidence.rules.length > 0 ? "this rule" : "a rule"} into the agent’s
          own settings, so it does not ask again{evidence.rules.length > 0 && ": "}
          {evidence.rules.map((rule) => (
            <code key={rule}>{escapeBidi(rule)} </code>
          ))}
        </p>
      )}
      {(problem ?? answer.error) && (
        <p className="error-text" role="alert">
          <CodeSpans text={problem ?? answer.error} />
        </p>
      )}
    </form>
  );
}

function keyHint(options: readonly Option[], option: Option, index: number): string | undefined {
  const first = (effect: Option["effect"]): boolean => options.find((other) => other.effect === effect) === option;
  if (option.effect === "allow" && first("allow")) return "a";
  if (option.effect === "deny" && first("deny")) return "d";
  return index < 9 ? String(index + 1) : undefined;
}

interface OptionButtonProps {
  option: Option;
  hint: string | undefined;
  busy: boolean;
  disabled: boolean;
  changed: boolean;
  /** The effect is written below. */
  isExplained: boolean;
  isPrimary: boolean;
  pick: () => void;
}

function OptionButton({ option, hint, busy, disabled, changed, isExplained, isPrimary, pick }: OptionButtonProps) {
  const isAllow = option.effect === "allow";
  const label = escapeBidi(isAllow && changed ? `${option.label} with changes` : option.label);
  const button = (
    <Button
      variant={isPrimary ? "filled" : "default"}
      {...(hint === "d" || (isAllow && !isPrimary) ? { className: classes.deny ?? "" } : {})}
      loading={busy}
      disabled={disabled && !busy}
      onClick={pick}
      {...(hint ? { rightSection: <Kbd className={classes.key ?? ""}>{hint}</Kbd> } : {})}
    >
      {label}
    </Button>
  );
  return option.detail && !isExplained ? <Tooltip label={option.detail}>{button}</Tooltip> : button;
}

interface ArgumentFieldsProps {
  given: Record<string, unknown>;
  typed: Record<string, string>;
  change: (typed: Record<string, string>) => void;
}

/** One field for each argument: texts as they are, other values as JSON. */
function ArgumentFields({ given, typed, change }: ArgumentFieldsProps) {
  return Object.entries(given).map(([name, value]) => (
    <Textarea
      key={name}
      label={name}
      classNames={{ input: classes.argument ?? "" }}
      autosize
      minRows={1}
      maxRows={16}
      spellCheck={false}
      value={typed[name] ?? (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? toText(value)))}
      onChange={(event) => change({ ...typed, [name]: event.currentTarget.value })}
    />
  ));
}
