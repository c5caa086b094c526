// The state of the dialog: the form, its errors by field, and the start of the run.
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, errorText } from "@/api/errors";
import { keys, type Schema } from "@/api/keys";
import { startLaunch } from "@/api/launches";
import { EMPTY_FORM, formErrors, launchBody, planOf, type RunForm } from "@/domain/runs/run-form";
import { closeNewRun } from "./open-new-run";
import { announceEnd } from "./started-jobs";

export type Choices = Schema<"LaunchChoices">;
export interface FormProps {
  form: RunForm;
  set: (change: Partial<RunForm>) => void;
  errors: Readonly<Record<string, string>>;
  choices: Choices;
}

const LAST_AGENT = "lion-last-agent";
/** The field of the form for each option of the server. */
const FIELDS: Record<string, string> = { cwd: "folder" };

export function useRunForm(choices: Choices, first: Partial<RunForm>) {
  const [form, setForm] = useState<RunForm>(() => firstForm(choices, first));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const set = (change: Partial<RunForm>): void => {
    setForm((old) => ({ ...old, ...change }));
    setErrors({});
  };
  const submit = async (): Promise<void> => {
    if (busy) return;
    const problems = formErrors(form, requiredArguments(choices, form));
    setErrors(problems);
    if (Object.keys(problems).length > 0) return;
    setBusy(true);
    try {
      const { launch } = await startLaunch(launchBody(form));
      if (form.kind === "agent") localStorage.setItem(LAST_AGENT, form.target);
      announceEnd(launch.id);
      closeNewRun();
      void queries.invalidateQueries({ queryKey: keys.launches() });
      if (form.retries) void queries.invalidateQueries({ queryKey: keys.run(form.retries) });
      if (launch.session_id) void navigate({ to: "/runs/$runId", params: { runId: launch.session_id } });
      else notifications.show({ message: startMessage(form), withBorder: true });
    } catch (error) {
      const field = error instanceof ApiError ? error.field : null;
      setErrors({ [field ? (FIELDS[field] ?? field) : "general"]: errorText(error) });
    }
    setBusy(false);
  };
  return { form, set, errors, busy, submit };
}

function startMessage({ plan, topic }: RunForm): string {
  return plan === "demo" ? "Starting the demo show…" : `Writing the plan of ${topic.trim()}…`;
}

function requiredArguments(choices: Choices, form: RunForm): string[] {
  const playbook = form.kind === "playbook" ? choices.playbooks.find(({ name }) => name === form.target) : undefined;
  return (playbook?.args ?? []).filter((arg) => arg.required && arg.default === null).map(({ name }) => name);
}

function firstForm(choices: Choices, first: Partial<RunForm>): RunForm {
  const usable = choices.agents.filter(({ problem, needs_model }) => !problem && !needs_model).map(({ name }) => name);
  const last = localStorage.getItem(LAST_AGENT);
  const wanted = [last, "claude", "codex", ...usable];
  const agent = wanted.find((name) => name !== null && usable.includes(name)) ?? "";
  const playbook = choices.playbooks.find(({ problem }) => !problem)?.name ?? "";
  const given = Object.fromEntries(Object.entries(first).filter(([, value]) => value !== "" && value !== undefined));
  const target = first.kind === "playbook" ? playbook : agent;
  const plan = first.kind === "show" ? planOf(choices.agents, last ? [last] : []) : {};
  return { ...EMPTY_FORM, target, ...plan, folder: choices.folder.path, ...given };
}
