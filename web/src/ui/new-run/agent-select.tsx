// Choose an agent or a program; one that cannot run is listed with the reason.
import { Select } from "@mantine/core";
import classes from "./new-run.module.css";
import type { Choices } from "./use-run-form";

interface AgentSelectProps {
  choices: Choices;
  label: string;
  value: string;
  error: string | undefined;
  onChange: (name: string) => void;
  /** Without it, an agent must be chosen. */
  placeholder?: string;
}

export function AgentSelect({ choices, label, value, error, onChange, placeholder }: AgentSelectProps) {
  const byName = new Map(choices.agents.map((agent) => [agent.name, agent]));
  const group = (kind: string): { value: string; label: string; disabled: boolean }[] =>
    choices.agents
      .filter((agent) => agent.kind === kind)
      .map(({ name, problem }) => ({ value: name, label: name, disabled: problem !== null }));
  const others = value && !byName.has(value) ? [{ group: "Other", items: [{ value, label: value }] }] : [];
  const groups = [
    { group: "Agents", items: group("agent") },
    { group: "Programs", items: group("provider") },
    ...others,
  ];
  return (
    <Select
      label={label}
      searchable
      allowDeselect={placeholder !== undefined}
      clearable={placeholder !== undefined}
      placeholder={placeholder ?? ""}
      maxDropdownHeight={320}
      value={value || null}
      error={error}
      data={groups.filter(({ items }) => items.length > 0)}
      onChange={(name) => onChange(name ?? "")}
      renderOption={({ option }) => (
        <span className={classes.choice}>
          <b>{option.label}</b>
          <span className={classes.choiceNote}>
            {byName.get(option.value)?.problem ?? byName.get(option.value)?.description}
          </span>
        </span>
      )}
    />
  );
}
