// Writes to a running agent. The draft survives a reload and a failed send. Ctrl-Enter sends.

import { Button, SegmentedControl, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { errorText } from "@/api/errors";
import { keys } from "@/api/keys";
import { type Delivery, sendToAgent } from "@/api/questions";
import { DELIVERIES } from "@/domain/runs/receipts";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { isSubmitKey } from "@/ui/keyboard/submit-key";
import { useHasKeyboard } from "@/ui/keyboard/use-has-keyboard";
import { CodeSpans } from "@/ui/text/code-spans";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./talk.module.css";
import { useDraft } from "./use-draft";

interface ComposerProps {
  runId: string;
  deliveries: readonly Delivery[];
  onSent: (messageId: string) => void;
}

export function Composer({ runId, deliveries, onSent }: ComposerProps) {
  const [text, setText, clearText] = useDraft(runId);
  const [picked, setPicked] = useState<Delivery>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const queries = useQueryClient();
  const hasKeyboard = useHasKeyboard();
  const delivery = picked && deliveries.includes(picked) ? picked : (deliveries[0] as Delivery);
  useShortcuts([{ keys: "r", label: "Write to the agent", group: "This run", run: () => field.current?.focus() }]);
  const send = async (): Promise<void> => {
    // Read from the field: Ctrl-Enter may arrive before the last letter is rendered.
    const message = field.current?.value ?? text;
    if (message.trim() === "" || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      onSent((await sendToAgent(runId, message, delivery)).id);
      clearText();
      // Interrupting is a decision for one message.
      setPicked(undefined);
    } catch (problem) {
      setError(errorText(problem));
    }
    setBusy(false);
    await queries.invalidateQueries({ queryKey: keys.inbox(runId) });
  };
  const { send: label, effect } = DELIVERIES[delivery];
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Textarea
        ref={field}
        aria-label="Message to the agent"
        placeholder={`Write to the agent…${hasKeyboard ? " (Ctrl-Enter sends)" : ""}`}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isSubmitKey(event)) void send();
          if (event.key === "Escape") field.current?.blur();
        }}
      />
      <div className={classes.sendRow}>
        <SegmentedControl
          aria-label="Delivery"
          size="xs"
          value={delivery}
          onChange={(value) => setPicked(value as Delivery)}
          data={deliveries.map((value) => ({ value, label: DELIVERIES[value].label }))}
        />
        <span className={classes.effect}>{effect}</span>
        <Button
          type="submit"
          loading={busy}
          disabled={text.trim() === ""}
          {...(delivery === "instead" ? { color: "red.8" } : {})}
        >
          {label}
        </Button>
      </div>
      {error && (
        <p className="error-text" role="alert">
          Not sent: <CodeSpans text={error} />
        </p>
      )}
    </form>
  );
}

/** The text that was not sent before the run ended. */
export function UnsentDraft({ runId }: { runId: string }) {
  const [text, , clearText] = useDraft(runId);
  if (text.trim() === "") return null;
  return (
    <div className={classes.unsent}>
      <span className={classes.text}>
        <b>Not sent, the run has ended: </b>
        {text}
      </span>
      <CopyButton text={text} label="Copy unsent text" />
      <Button variant="subtle" color="gray" size="compact-xs" onClick={clearText}>
        Discard
      </Button>
    </div>
  );
}
