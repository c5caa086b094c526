// What a person may say about a show or a play; the server names what is possible now.
import { Button, Group, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "@/api/keys";
import { type Order, order, type Play } from "@/api/shows";
import { ConfirmPreview } from "@/ui/confirm";

type Action = Order["action"];
interface Deed {
  word: string;
  /** What will happen. */
  what: (name: string) => string;
  danger?: boolean;
  feedback?: string;
}

const DEEDS: Record<Action, Deed> = {
  run: { word: "Run", what: (name) => `${name} starts: plays that wait for nothing begin.` },
  resume: {
    word: "Resume",
    what: (name) => `${name} goes on where it stopped; nothing that is done is done again.`,
  },
  abort: {
    word: "Abort",
    what: (name) => `${name} ends: agents that run are stopped, what is merged stays merged.`,
    danger: true,
  },
  approve: { word: "Approve", what: (name) => `${name} passes your gate and is merged.` },
  reject: {
    word: "Reject",
    what: (name) => `${name} is given back to its agent with your feedback.`,
    feedback: "What has to be different",
  },
  redo: {
    word: "Redo",
    what: (name) => `${name} is done once more, in a new attempt.`,
    feedback: "What has to be different this time",
  },
  escalate: {
    word: "Escalate",
    what: (name) => `${name} stops here and waits for a person; what depends on it is blocked.`,
    feedback: "Why",
  },
};

export function ShowActions({ topic, actions }: { topic: string; actions: string[] }) {
  return <Buttons topic={topic} name={topic} actions={actions} />;
}

export function PlayActions({ topic, play }: { topic: string; play: Play }) {
  return <Buttons topic={topic} name={play.name} play={play.name} actions={play.actions} />;
}

function Buttons(props: { topic: string; name: string; play?: string; actions: string[] }) {
  const [chosen, setChosen] = useState<Action>();
  const known = props.actions.filter((action): action is Action => action in DEEDS);
  return (
    <Group gap={6}>
      {known.map((action) => (
        <Button
          key={action}
          variant={action === "approve" || action === "run" || action === "resume" ? "filled" : "default"}
          size="compact-sm"
          onClick={() => setChosen(action)}
        >
          {DEEDS[action].word}
        </Button>
      ))}
      {chosen && <Sure {...props} action={chosen} close={() => setChosen(undefined)} />}
    </Group>
  );
}

function Sure(props: { topic: string; name: string; play?: string; action: Action; close: () => void }) {
  const { topic, name, play, action, close } = props;
  const queries = useQueryClient();
  const [feedback, setFeedback] = useState("");
  const deed = DEEDS[action];
  const run = async (): Promise<string> => {
    const said = feedback.trim();
    const body = { action, ...(play ? { play } : {}), ...(said ? { feedback: said } : {}) };
    const { launch, output } = await order(topic, body);
    if (launch.exit_code)
      throw new Error(lastLine(output) || `li show ${action} ended with ${launch.exit_code}`);
    await queries.invalidateQueries({ queryKey: keys.show(topic) });
    return lastLine(output) || `${deed.word}: ${name}`;
  };
  return (
    <ConfirmPreview
      opened
      close={close}
      title={`${deed.word} ${name}?`}
      deed={deed.word}
      danger={deed.danger ?? false}
      disabled={action === "reject" && feedback.trim() === ""}
      run={run}
    >
      <p>{deed.what(name)}</p>
      {deed.feedback && (
        <Textarea
          label={deed.feedback}
          value={feedback}
          onChange={(event) => setFeedback(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={12}
          data-autofocus
        />
      )}
    </ConfirmPreview>
  );
}

function lastLine(output: string): string {
  return output.trim().split("\n").at(-1) ?? "";
}
