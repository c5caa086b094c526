// Choose a playbook and fill in its arguments, each by its type.
import { Checkbox, Select, TextInput } from "@mantine/core";
import type { Schema } from "@/api/keys";
import { AgentSelect } from "./agent-select";
import classes from "./new-run.module.css";
import type { FormProps } from "./use-run-form";

type Argument = Schema<"PlaybookArgument">;

export function PlaybookFields({ form, set, errors, choices }: FormProps) {
  const playbook = choices.playbooks.find(({ name }) => name === form.target);
  const ownAgent = playbook?.agents.join(", ");
  if (choices.playbooks.length === 0)
    return <p className="muted">No playbooks are visible from this folder. Create one on the page Playbooks.</p>;
  return (
    <>
      <Select
        label="Playbook"
        searchable
        allowDeselect={false}
        value={form.target || null}
        error={errors.target}
        data={choices.playbooks.map(({ name, problem }) => ({ value: name, label: name, disabled: problem !== null }))}
        onChange={(target) => set({ target: target ?? "", args: {} })}
        description={playbook?.problem ?? playbook?.description ?? undefined}
      />
      {playbook?.args.map((arg) => (
        <ArgumentField
          key={arg.name}
          arg={arg}
          value={form.args[arg.name] ?? ""}
          error={errors[`arg.${arg.name}`]}
          onChange={(value) => set({ args: { ...form.args, [arg.name]: value } })}
        />
      ))}
      <AgentSelect
        choices={choices}
        label="Agent"
        value={form.agent}
        error={errors.agent}
        placeholder={ownAgent ? `From the playbook: ${ownAgent}` : "From the playbook"}
        onChange={(agent) => set({ agent })}
      />
    </>
  );
}

interface ArgumentFieldProps {
  arg: Argument;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function ArgumentField({ arg, value, error, onChange }: ArgumentFieldProps) {
  if (arg.type === "bool")
    return (
      <Checkbox
        size="xs"
        label={arg.name}
        description={arg.help}
        error={error}
        className={classes.checkbox ?? ""}
        checked={value === "" ? arg.default === true : value === "true"}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  const isNumber = arg.type === "int" || arg.type === "float";
  return (
    <TextInput
      label={arg.name}
      description={arg.help}
      withAsterisk={arg.required && arg.default === null}
      {...(isNumber ? { type: "number", step: arg.type === "int" ? 1 : "any" } : {})}
      placeholder={arg.default === null ? "" : `Default: ${arg.default}`}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
