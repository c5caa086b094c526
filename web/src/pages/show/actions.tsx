// Actions on a show or a play. The server lists those that are possible now.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { keys } from "@/api/keys";
import type { Question } from "@/api/questions";
import { type ActionRequest, type Play, performAction, type Show, type ShowAction } from "@/api/shows";
import { ActionDialog } from "@/ui/feedback/action-dialog";

const PRIMARY = new Set(["approve", "run", "resume"]);

export function ShowActions({ show, questions = [] }: { show: Show; questions?: readonly Question[] }) {
  const asked = questions.filter(({ play_name }) => play_name === null);
  return <ActionButtons topic={show.topic} actions={withoutAnswers(show.deeds, asked)} />;
}

/** `named`: the buttons stand beside those of other plays. */
export function PlayActions(props: { topic: string; play: Play; questions?: readonly Question[]; named?: boolean }) {
  const { topic, play, questions = [], named = false } = props;
  const feedback = play.verdict?.gate_passed === false ? (play.verdict.feedback ?? "") : "";
  const actions = withoutAnswers(play.deeds, questions);
  // To merge work that failed is the exception; to repeat it is the rule.
  const primary = play.state?.severity === "critical" ? "redo" : "approve";
  return <ActionButtons {...{ topic, actions, feedback, named, primary }} play={play.name} />;
}

/** The card of a question has its answers: there is one way to decide. */
function withoutAnswers(actions: ShowAction[], questions: readonly Question[]): ShowAction[] {
  const decisions = questions.filter(({ kind }) => kind !== "permission" && kind !== "question");
  if (decisions.length === 0) return actions;
  const answers = new Set(
    decisions.flatMap(({ options }) => options.map(({ id }) => (id === "raise" ? "approve" : id))),
  );
  return actions.filter(({ action }) => !answers.has(action));
}

interface ButtonsProps {
  topic: string;
  play?: string;
  actions: ShowAction[];
  /** Of the checks that failed, for the next attempt. */
  feedback?: string;
  named?: boolean;
  primary?: string;
}

function ActionButtons({ topic, play, actions, feedback = "", named = false, primary }: ButtonsProps) {
  const [selected, setSelected] = useState<ShowAction>();
  const main = actions.find(({ action }) => (primary ? action === primary : PRIMARY.has(action)));
  return (
    <Group gap={6}>
      {actions.map((action) => (
        <Button
          key={action.action}
          variant={action === main ? "filled" : "default"}
          size="compact-sm"
          onClick={() => setSelected(action)}
        >
          {named ? `${action.label} ${play}` : action.label}
        </Button>
      ))}
      {selected && (
        <ActionDialog
          action={selected}
          subject={play ?? topic}
          perform={(fields) => {
            const action = selected.action as ActionRequest["action"];
            // the subject is the one on display, even if the show was fetched again since
            return performAction(topic, { action, ...(play ? { play } : {}), ...selected.subject, ...fields });
          }}
          initial={{ feedback: selected.action === "redo" || selected.action === "reject" ? feedback : "" }}
          queryKey={keys.show(topic)}
          close={() => setSelected(undefined)}
        />
      )}
    </Group>
  );
}
