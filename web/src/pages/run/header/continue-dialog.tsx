// Going on with a run from the page: the next words, in this run or in a fork that leaves it as it is.
import { Button, Group, Modal, SegmentedControl, Textarea } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "@/api/client";
import { runAction } from "@/ui/feedback/confirm";
import { CopyButton } from "@/ui/text/copy-button";
import type { Detail } from "../transcript/segments";
import classes from "./header.module.css";

const MODES = [
  { value: "fork", label: "Fork: a new run from here" },
  { value: "resume", label: "Resume: the same run" },
];

export function ContinueDialog({
  opened,
  close,
  detail,
}: {
  opened: boolean;
  close: () => void;
  detail: Detail;
}) {
  const { session, commands } = detail;
  const [way, setWay] = useState<"fork" | "resume">("fork");
  const [words, setWords] = useState("");
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  const target = session.agent_name ?? [session.provider, session.model].filter(Boolean).join("/");
  const start = async (): Promise<void> => {
    setBusy(true);
    const started = await runAction(async () => {
      const options: Record<string, string> = {
        [way]: session.id,
        ...(session.cwd ? { cwd: session.cwd } : {}),
      };
      const { launch } = await post("/api/launches", {
        body: { verb: "agent", target, prompt: words, options },
      });
      if (launch.session_id && way === "fork") {
        await appeared();
        void navigate({ to: "/runs/$runId", params: { runId: launch.session_id } });
      }
      return way === "fork" ? "The fork was started." : "The run goes on.";
    });
    setBusy(false);
    if (started) close();
  };
  return (
    <Modal opened={opened} onClose={close} title="Go on with this run" size="lg">
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label="How"
        data={MODES}
        value={way}
        onChange={(value) => setWay(value as "fork" | "resume")}
      />
      <Textarea
        mt="sm"
        autosize
        minRows={4}
        maxRows={14}
        data-autofocus
        label="What should it do?"
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <p className={classes.command}>
        In a terminal: <code>{commands[way]}</code>{" "}
        <CopyButton text={commands[way]} label="Copy the command" />
      </p>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button loading={busy} disabled={words.trim() === "" || target === ""} onClick={() => void start()}>
          {way === "fork" ? "Start the fork" : "Resume the run"}
        </Button>
      </Group>
    </Modal>
  );
}

/** The process needs a moment until its run is in the database. */
function appeared(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 800));
}
