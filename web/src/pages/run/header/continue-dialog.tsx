// Continue a run with another prompt, in the same run or in a fork.
import { Button, Group, Modal, SegmentedControl, Textarea } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { startLaunch, startRun } from "@/api/launches";
import { runAction } from "@/ui/feedback/confirm";
import { CopyButton } from "@/ui/text/copy-button";
import type { Detail } from "../transcript/segments";
import classes from "./header.module.css";

type Mode = "fork" | "resume";
const MODES = [
  { value: "fork", label: "Fork: start a new run from here" },
  { value: "resume", label: "Continue: add to this run" },
];

interface ContinueDialogProps {
  opened: boolean;
  close: () => void;
  detail: Detail;
}

export function ContinueDialog({ opened, close, detail: { session, commands } }: ContinueDialogProps) {
  const [mode, setMode] = useState<Mode>("fork");
  const [prompt, setPrompt] = useState("");
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  const target = session.agent_name ?? [session.provider, session.model].filter(Boolean).join("/");
  const start = async (): Promise<string> => {
    const options = { [mode]: session.id, ...(session.cwd ? { cwd: session.cwd } : {}) };
    const body = { verb: "agent", target, prompt, options };
    if (mode === "resume") {
      await startLaunch(body);
      return "Run continued";
    }
    const { session_id } = await startRun(body);
    if (session_id) void navigate({ to: "/runs/$runId", params: { runId: session_id } });
    return "Fork started";
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    const started = await runAction(start);
    setBusy(false);
    if (started) close();
  };
  return (
    <Modal opened={opened} onClose={close} title="Continue this run" size="lg">
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label="Mode"
        data={MODES}
        value={mode}
        onChange={(value) => setMode(value as Mode)}
      />
      <Textarea
        mt="sm"
        autosize
        minRows={4}
        maxRows={14}
        data-autofocus
        label="Prompt"
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <p className={classes.command}>
        In a terminal: <code>{commands[mode]}</code> <CopyButton text={commands[mode]} label="Copy command" />
      </p>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button loading={busy} disabled={prompt.trim() === "" || target === ""} onClick={() => void submit()}>
          {mode === "fork" ? "Start fork" : "Continue"}
        </Button>
      </Group>
    </Modal>
  );
}
