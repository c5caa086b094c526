// Sends a message to all or some members of a team. Ctrl-Enter sends.

import { Button, MultiSelect, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { keys } from "@/api/keys";
import { SENDER, sendTeamMessage } from "@/api/teams";
import { runAction } from "@/ui/feedback/run-action";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { isSubmitKey } from "@/ui/keyboard/submit-key";
import classes from "./teams.module.css";

export function Composer({ id, members }: { id: string; members: string[] }) {
  const [text, setText] = useState("");
  const [to, setTo] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const queries = useQueryClient();
  useShortcuts([{ keys: "r", label: "Write a message", group: "This team", run: () => field.current?.focus() }]);
  const send = async (): Promise<void> => {
    // Read from the field: Ctrl-Enter may arrive before the last letter is rendered.
    const message = field.current?.value ?? text;
    if (message.trim() === "" || busy) return;
    setBusy(true);
    const sent = await runAction(async () => {
      const { unstored } = await sendTeamMessage(id, message, to);
      return unstored ? `Sent, not yet stored in the database: ${unstored}` : "Sent";
    });
    setBusy(false);
    if (!sent) return;
    setText("");
    void queries.invalidateQueries({ queryKey: keys.team(id) });
  };
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
        aria-label="Message"
        placeholder={`Write to ${to.length > 0 ? to.join(", ") : "everyone"}…`}
        value={text}
        autosize
        minRows={2}
        maxRows={10}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isSubmitKey(event)) void send();
          if (event.key === "Escape") field.current?.blur();
        }}
      />
      <div className={classes.sendRow}>
        <MultiSelect
          aria-label="To"
          size="xs"
          data={members}
          value={to}
          onChange={setTo}
          placeholder={to.length === 0 ? "Everyone" : ""}
          clearable
          comboboxProps={{ position: "top-start" }}
        />
        <span className={classes.sender}>
          as you (<b>{SENDER}</b>)
        </span>
        <Button type="submit" loading={busy} disabled={text.trim() === ""}>
          Send
        </Button>
      </div>
    </form>
  );
}
