// A first run: a prompt for the agent program that is installed, else for the scripted agent.

import { Button, Group, Textarea } from "@mantine/core";
import { IconRobot } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { errorText } from "@/api/errors";
import { launchChoices, startLaunch } from "@/api/launches";
import { isSubmitKey } from "@/ui/keyboard/submit-key";
import { openNewRun } from "@/ui/new-run/open-new-run";
import { announceEnd } from "@/ui/new-run/started-jobs";
import { CodeSpans } from "@/ui/text/code-spans";
import { Card } from "./welcome-card";

const SCRIPT = "@say Hello! This is my first run.\n@ask Shall I say more? | Yes | No\n@say Then we are done.";
const PROMPT = "Explain the files in this folder in a few sentences.";

export function FirstRun({ location }: { location: string }) {
  const choices = useQuery(launchChoices("")).data;
  const [typed, setTyped] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const navigate = useNavigate();
  const programs = choices?.agents.filter(({ program }) => program).map(({ name }) => name) ?? [];
  const agent = programs[0] ?? "script";
  const isScript = agent === "script";
  const prompt = typed ?? (isScript ? SCRIPT : PROMPT);
  const cwd = choices?.folder.path ?? "";
  const start = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const options = { cwd, ...(isScript ? {} : { permissions: "ask" }) };
      const { launch } = await startLaunch({ verb: "agent", target: agent, prompt, options });
      announceEnd(launch.id);
      void navigate({ to: "/runs/$runId", params: { runId: launch.id } });
    } catch (problem) {
      setError(errorText(problem));
    }
    setBusy(false);
  };
  const description = isScript
    ? "Neither claude nor codex was found on the PATH of Studio. The scripted agent needs no account: it executes the lines of the prompt."
    : `Found on the PATH: ${programs.join(", ")}. It works in ${cwd} and asks you here before it acts.`;
  return (
    <Card
      icon={IconRobot}
      title="Start a run"
      description={choices ? description : ""}
      commands={[isScript ? 'li agent script "@say hello"' : `li agent ${agent} --permissions ask`]}
      location={location}
    >
      <Textarea
        aria-label="Prompt"
        autosize
        minRows={3}
        maxRows={8}
        value={choices ? prompt : ""}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isSubmitKey(event)) void start();
        }}
      />
      <Group gap={8} justify="flex-end">
        <Button size="sm" variant="default" onClick={() => openNewRun({ target: agent, prompt, folder: cwd })}>
          Options…
        </Button>
        <Button size="sm" loading={busy} disabled={!choices || prompt.trim() === ""} onClick={() => void start()}>
          {isScript ? "Run the scripted agent" : `Ask ${agent}`}
        </Button>
      </Group>
      {error && (
        <p className="error-text" role="alert">
          <CodeSpans text={error} />
        </p>
      )}
    </Card>
  );
}
