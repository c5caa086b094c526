// Starts a run of an agent or a playbook, or plans a show. Ctrl-Enter starts.

import { Autocomplete, Button, Modal, SegmentedControl, Textarea } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { launchChoices, runRequest } from "@/api/launches";
import { planOf, type RunForm, type RunKind, repeatForm } from "@/domain/runs/run-form";
import { ErrorState, LoadingLine } from "../feedback/placeholders";
import { isSubmitKey } from "../keyboard/submit-key";
import { useHasKeyboard } from "../keyboard/use-has-keyboard";
import { CodeSpans } from "../text/code-spans";
import { AgentSelect } from "./agent-select";
import { JobList } from "./job-list";
import classes from "./new-run.module.css";
import { closeNewRun, type NewRun } from "./open-new-run";
import { PlaybookFields } from "./playbook-fields";
import { RunOptions } from "./run-options";
import { ScriptHelp } from "./script-help";
import { ShowFields } from "./show-fields";
import { type Choices, useRunForm } from "./use-run-form";

const SCRIPT = "script";
const KINDS = [
  { value: "agent", label: "Agent" },
  { value: "playbook", label: "Playbook" },
  { value: "show", label: "Show" },
];

export function NewRunDialog({ request }: { request: NewRun }) {
  const narrow = useMediaQuery("(max-width: 640px)", undefined, { getInitialValueInEffect: false });
  const isRepeat = request.retries !== undefined && request.target === undefined;
  const repeated = useQuery(runRequest(isRepeat ? (request.retries ?? "") : ""));
  const folder = request.folder ?? repeated.data?.folder ?? "";
  const choices = useQuery({ ...launchChoices(folder), enabled: !isRepeat || repeated.data !== undefined });
  const error = repeated.error ?? choices.error;
  const first = repeated.data
    ? { ...repeatForm(repeated.data, request.retries ?? ""), ...given(request) }
    : given(request);
  return (
    <Modal
      opened
      onClose={closeNewRun}
      title={request.retries ? "Run again" : request.kind === "show" ? "New show" : "New run"}
      size={640}
      fullScreen={narrow === true}
    >
      {error ? (
        <ErrorState error={error} label="Choices" retry={() => void choices.refetch()} />
      ) : choices.data && (!isRepeat || repeated.data) ? (
        <Fields choices={choices.data} first={first} problem={repeated.data?.problem ?? null} />
      ) : (
        <LoadingLine label="agents and playbooks" />
      )}
    </Modal>
  );
}

function given({ kind, target, prompt, folder, model, retries }: NewRun): Partial<RunForm> {
  const fields = { kind, target, prompt, folder, model, retries };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

interface FieldsProps {
  choices: Choices;
  first: Partial<RunForm>;
  /** Why the run cannot be repeated. */
  problem: string | null;
}

function Fields({ choices: loaded, first, problem }: FieldsProps) {
  const { form, set, errors, busy, submit } = useRunForm(loaded, first);
  const [folder] = useDebouncedValue(form.folder, 250);
  // Other folders have other definitions; what is shown stays until they are known.
  const choices = useQuery(launchChoices(folder)).data ?? loaded;
  const hasKeyboard = useHasKeyboard();
  const props = { form, set, errors, choices };
  const isDemo = form.kind === "show" && form.plan === "demo";
  const changeKind = (kind: string): void => {
    const isPlaybook = kind === "playbook";
    const names = isPlaybook ? choices.playbooks : choices.agents;
    const target = names.find((each) => !each.problem)?.name ?? "";
    const plan = kind === "show" ? planOf(choices.agents, [form.agent, form.target]) : { agent: "" };
    set({ kind: kind as RunKind, target, ...plan, retries: "" });
  };
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (isSubmitKey(event)) void submit();
      }}
    >
      {problem && <p className="warning-text">{problem}</p>}
      <SegmentedControl size="xs" aria-label="Kind" data={KINDS} value={form.kind} onChange={changeKind} />
      {form.kind === "agent" && (
        <AgentSelect
          choices={choices}
          label="Agent"
          value={form.target}
          error={errors.target}
          onChange={(target) => set({ target })}
        />
      )}
      {form.kind === "playbook" && <PlaybookFields {...props} />}
      {form.kind === "show" && <ShowFields {...props} />}
      {!isDemo && (
        <>
          <Textarea
            label={form.kind === "agent" ? "Prompt" : form.kind === "playbook" ? "Input" : "Goal"}
            autosize
            minRows={4}
            maxRows={14}
            autoFocus
            value={form.prompt}
            error={errors.prompt}
            placeholder={form.target === SCRIPT && form.kind === "agent" ? "@say hello" : ""}
            onChange={(event) => set({ prompt: event.currentTarget.value })}
          />
          {form.kind === "agent" && form.target === SCRIPT && <ScriptHelp fill={(prompt) => set({ prompt })} />}
          <FolderField form={form} set={set} error={errors.folder} choices={choices} checked={folder} />
        </>
      )}
      {form.kind !== "show" && <RunOptions {...props} />}
      {errors.general && (
        <p className="error-text" role="alert">
          <CodeSpans text={errors.general} />
        </p>
      )}
      <div className={classes.footer}>
        <span className="muted">{hasKeyboard && "Ctrl-Enter starts it"}</span>
        <Button variant="default" onClick={closeNewRun}>
          Cancel
        </Button>
        <Button type="submit" loading={busy}>
          {form.kind === "show" ? (isDemo ? "Start demo" : "Write plan") : "Start run"}
        </Button>
      </div>
      <JobList />
    </form>
  );
}

interface FolderFieldProps {
  form: RunForm;
  set: (change: Partial<RunForm>) => void;
  error: string | undefined;
  choices: Choices;
  /** The folder that the choices are for. */
  checked: string;
}

function FolderField({ form, set, error, choices, checked }: FolderFieldProps) {
  const { problem, is_repository } = choices.folder;
  const isChecked = checked === form.folder && choices.folder.path.length > 0;
  return (
    <Autocomplete
      size="xs"
      label="Folder"
      description={isChecked && !problem ? (is_repository ? "A git repository" : "Not a git repository") : " "}
      data={choices.folders}
      value={form.folder}
      error={error ?? (isChecked ? problem : undefined)}
      onChange={(folder) => set({ folder })}
    />
  );
}
