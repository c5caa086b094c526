// A prompt that starts a run from this one. The draft survives a reload and a failed start. Ctrl-Enter sends.

import { Button, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, type Ref, useState } from "react";
import { errorText } from "@/api/errors";
import { keys, type Schema } from "@/api/keys";
import { startRun } from "@/api/launches";
import { isSubmitKey } from "@/ui/keyboard/submit-key";
import { useHasKeyboard } from "@/ui/keyboard/use-has-keyboard";
import { announceEnd } from "@/ui/new-run/started-jobs";
import { CodeSpans } from "@/ui/text/code-spans";
import classes from "./talk.module.css";
import { useDraft } from "./use-draft";

type Options = NonNullable<Schema<"NewLaunch">["options"]>;

interface PromptBoxProps {
  /** The run that it starts from. */
  origin: string;
  /** The agent or provider that continues. */
  target: string;
  options: Options;
  draftKey: string;
  label: string;
  placeholder: string;
  button: string;
  /** What will happen. */
  effect: ReactNode;
  field?: Ref<HTMLTextAreaElement>;
  autoFocus?: boolean;
  cancel?: () => void;
}

export function PromptBox(props: PromptBoxProps) {
  const {
    origin,
    target,
    options,
    draftKey,
    label,
    placeholder,
    button,
    effect,
    field,
    autoFocus = false,
    cancel,
  } = props;
  const [text, setText, clearText] = useDraft(draftKey);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const hasKeyboard = useHasKeyboard();
  const start = async (prompt: string): Promise<void> => {
    if (prompt.trim() === "" || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const launch = await startRun({ verb: "agent", target, prompt, options });
      announceEnd(launch.id);
      // It lists the runs that continue it.
      void queries.invalidateQueries({ queryKey: keys.run(origin) });
      clearText();
      cancel?.();
      if (launch.session_id) void navigate({ to: "/runs/$runId", params: { runId: launch.session_id } });
    } catch (problem) {
      setError(errorText(problem));
    }
    setBusy(false);
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        void start(text);
      }}
    >
      <Textarea
        ref={field}
        aria-label={label}
        placeholder={`${placeholder}${hasKeyboard ? " (Ctrl-Enter sends)" : ""}`}
        autosize
        minRows={1}
        maxRows={8}
        autoFocus={autoFocus}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Read from the field: Ctrl-Enter may arrive before the last letter is rendered.
          if (isSubmitKey(event)) void start(event.currentTarget.value);
          if (event.key === "Escape") cancel ? cancel() : event.currentTarget.blur();
        }}
      />
      <div className={classes.sendRow}>
        <span className={classes.effect}>{effect}</span>
        {cancel && (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" loading={busy} disabled={text.trim() === ""}>
          {button}
        </Button>
      </div>
      {error && (
        <p className="error-text" role="alert">
          Not started: <CodeSpans text={error} />
        </p>
      )}
    </form>
  );
}

/** In place of the box, for a run that Studio cannot start from. */
export function NoComposer({ verb, reason }: { verb: "continued" | "forked"; reason: string | null | undefined }) {
  return (
    <p className={classes.noContinue}>
      Cannot be {verb} here: <CodeSpans text={reason ?? "its agent is not known"} />
    </p>
  );
}
