// A show: from a plan that an agent drafts, from a template, or the demo.
import { SegmentedControl, TextInput } from "@mantine/core";
import { drafters, type PlanSource } from "@/domain/runs/run-form";
import { AgentSelect } from "./agent-select";
import type { FormProps } from "./use-run-form";

const SOURCES: { value: PlanSource; label: string; effect: string }[] = [
  {
    value: "agent",
    label: "Drafted by an agent",
    effect: "The agent reads the repository and writes the plan. You read it and run the show on its page.",
  },
  {
    value: "template",
    label: "Template",
    effect: "A plan with two plays, whose prompts you write in its file before you run it.",
  },
  {
    value: "demo",
    label: "Demo",
    effect: "Eight scripted agents write a little book in a repository of its own, in this home. Needs only git.",
  },
];

const NO_DRAFTER =
  "No agent with a model can draft the plan: install claude or codex, or write an agent on the page Agents.";

export function ShowFields({ form, set, errors, choices }: FormProps) {
  const canDraft = drafters(choices.agents).length > 0;
  return (
    <>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Plan"
        value={form.plan}
        onChange={(plan) => set({ plan: plan as PlanSource })}
        data={SOURCES.map(({ value, label }) => ({ value, label, disabled: value === "agent" && !canDraft }))}
      />
      <p className="muted">{SOURCES.find(({ value }) => value === form.plan)?.effect}</p>
      {!canDraft && <p className="muted">{NO_DRAFTER}</p>}
      {form.plan !== "demo" && (
        <TextInput
          label="Topic"
          description="The name of the show; its folder and branches use it"
          placeholder="split-the-parser"
          value={form.topic}
          error={errors.topic}
          onChange={(event) => set({ topic: event.currentTarget.value })}
        />
      )}
      {form.plan === "agent" && (
        <AgentSelect
          choices={choices}
          label="Agent"
          value={form.agent}
          error={errors.agent}
          onChange={(agent) => set({ agent })}
        />
      )}
    </>
  );
}
