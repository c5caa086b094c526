// Options that most runs leave to the definition.
import { Autocomplete, Select, TextInput, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import classes from "./new-run.module.css";
import type { FormProps } from "./use-run-form";

const PERMISSIONS = [
  { value: "ask", label: "Ask: it asks before it acts" },
  { value: "edit", label: "Edit: it may change files in the folder" },
  { value: "all", label: "All: it may do everything without asking" },
];
const SANDBOX = [
  { value: "auto", label: "Where possible" },
  { value: "require", label: "Always" },
  { value: "off", label: "Never" },
];

export function RunOptions({ form, set, errors, choices }: FormProps) {
  const agent = choices.agents.find(({ name }) => name === (form.kind === "agent" ? form.target : form.agent));
  const isSet = [form.model, form.effort, form.permissions, form.sandbox, form.minutes, form.name].some(Boolean);
  const hasError = ["model", "permissions", "sandbox", "timeout", "name"].some((field) => errors[field]);
  const [opened, setOpened] = useState(isSet);
  const isOpen = opened || hasError || agent?.needs_model === true;
  const cannotAsk = agent !== undefined && !agent.abilities.includes("ask");
  return (
    <div>
      <UnstyledButton className={classes.more ?? ""} aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        <IconChevronRight size={13} className={classes.chevron} data-open={isOpen} aria-hidden /> Model, permissions and
        more
      </UnstyledButton>
      {isOpen && (
        <div className={classes.grid}>
          <Autocomplete
            size="xs"
            label={agent?.needs_model ? "Model (required)" : "Model"}
            placeholder={agent?.model ?? "Default"}
            data={choices.models[agent?.provider ?? ""] ?? []}
            value={form.model}
            error={errors.model}
            onChange={(model) => set({ model })}
          />
          <Select
            label="Permissions"
            clearable
            placeholder={agent?.permissions ?? "Default"}
            disabled={cannotAsk}
            description={cannotAsk ? `${agent?.name} does not ask before it acts` : undefined}
            data={PERMISSIONS}
            value={form.permissions || null}
            error={errors.permissions}
            onChange={(permissions) => set({ permissions: permissions ?? "" })}
          />
          <Select
            label="Sandbox"
            clearable
            placeholder="Default"
            description={choices.sandbox_problem ? `Not possible: ${choices.sandbox_problem}` : undefined}
            data={SANDBOX.map((mode) => ({
              ...mode,
              disabled: mode.value === "require" && choices.sandbox_problem !== null,
            }))}
            value={form.sandbox || null}
            error={errors.sandbox}
            onChange={(sandbox) => set({ sandbox: sandbox ?? "" })}
          />
          <TextInput
            label="Timeout in minutes"
            inputMode="numeric"
            placeholder="None"
            value={form.minutes}
            error={errors.timeout}
            onChange={(event) => set({ minutes: event.currentTarget.value })}
          />
          <TextInput
            label="Name"
            placeholder="The first line of the prompt"
            value={form.name}
            error={errors.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
        </div>
      )}
    </div>
  );
}
