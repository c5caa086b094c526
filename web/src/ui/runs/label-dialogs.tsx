// Dialogs that rename, tag, annotate and delete runs.
import { Button, Group, Modal, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "@/api/keys";
import { deleteRun } from "@/api/run-list/labels";
import { facets, type Run } from "@/api/runs";
import { formatInteger, plural } from "@/domain/text/format";
import { ConfirmDialog } from "../feedback/confirm";
import { runAction } from "../feedback/run-action";
import { isSubmitKey } from "../keyboard/submit-key";
import { useLabels } from "./labels";
import classes from "./labels.module.css";
import { type Pages, withoutRuns } from "./use-run-list";

export type LabelAction = "rename" | "tags" | "note" | "delete";

interface LabelDialogProps {
  action: LabelAction;
  runs: Run[];
  close: () => void;
  /** Called after the runs were deleted. */
  deleted?: () => void;
}

export function LabelDialog({ action, runs, close, deleted }: LabelDialogProps) {
  const [run] = runs;
  if (!run) return null;
  if (action === "delete") return <DeleteDialog runs={runs} close={close} deleted={deleted} />;
  if (action === "tags") return <TagsDialog runs={runs} close={close} />;
  return <TextDialog action={action} run={run} close={close} />;
}

function TextDialog({ action, run, close }: { action: "rename" | "note"; run: Run; close: () => void }) {
  const [text, setText] = useState((action === "rename" ? run.name : run.note) ?? "");
  const { label } = useLabels();
  const save = async (): Promise<string> => {
    const value = text.trim() || null;
    await label(run, action === "rename" ? { name: value } : { note: value });
    if (action === "rename") return value ? `Renamed to ${value}` : "Removed the name";
    return value ? "Note saved" : "Note removed";
  };
  const submit = async (): Promise<void> => {
    if (await runAction(save)) close();
  };
  return (
    <Modal opened onClose={close} title={action === "rename" ? "Rename run" : "Note"} size="md">
      {action === "rename" ? (
        <TextInput
          data-autofocus
          label="Name"
          description="Leave it empty to use the first line of the prompt"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && void submit()}
        />
      ) : (
        <Textarea
          data-autofocus
          label="Note"
          description="Shown under the header of the run; Ctrl-Enter saves"
          autosize
          minRows={4}
          maxRows={14}
          maxLength={20_000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => isSubmitKey(event) && void submit()}
        />
      )}
      <Buttons close={close} label="Save" submit={submit} />
    </Modal>
  );
}

function TagsDialog({ runs, close }: { runs: Run[]; close: () => void }) {
  const one = runs.length === 1 ? runs[0] : undefined;
  // For several runs the tags are added; each keeps its own.
  const [tags, setTags] = useState<string[]>(one?.tags ?? []);
  const known = useQuery(facets({})).data?.tag.map(({ value }) => value) ?? [];
  const labels = useLabels();
  const submit = async (): Promise<void> => {
    const change = (old: string[]): string[] => (one ? tags : [...new Set([...old, ...tags])]);
    const message = one ? `Tags of ${one.display_name} saved` : `Tagged ${plural(runs.length, "run")}`;
    if (await labels.setTags(runs, change, message)) close();
  };
  return (
    <Modal opened onClose={close} title={one ? "Tags" : `Tag ${plural(runs.length, "run")}`} size="md">
      <TagsInput
        data-autofocus
        size="xs"
        label="Tags"
        description="A tag is one word; Enter adds it"
        placeholder="Add a tag"
        data={known}
        maxTags={50}
        splitChars={[",", " "]}
        value={tags}
        onChange={(words) => setTags(words.map((word) => word.trim().slice(0, 60)).filter(Boolean))}
        comboboxProps={{ withinPortal: true }}
      />
      <Buttons close={close} label={one ? "Save" : "Add tags"} submit={submit} disabled={!one && tags.length === 0} />
    </Modal>
  );
}

interface ButtonsProps {
  close: () => void;
  label: string;
  submit: () => Promise<void>;
  disabled?: boolean;
}

function Buttons({ close, label, submit, disabled = false }: ButtonsProps) {
  const [busy, setBusy] = useState(false);
  const click = (): void => {
    setBusy(true);
    void submit().finally(() => setBusy(false));
  };
  return (
    <Group justify="flex-end" mt="md">
      <Button variant="default" onClick={close}>
        Cancel
      </Button>
      <Button loading={busy} disabled={disabled} onClick={click}>
        {label}
      </Button>
    </Group>
  );
}

const MOST_LISTED = 8;

function DeleteDialog({
  runs,
  close,
  deleted,
}: {
  runs: Run[];
  close: () => void;
  deleted?: (() => void) | undefined;
}) {
  const queries = useQueryClient();
  const running = runs.filter((run) => run.state.group === "running");
  const ended = runs.filter((run) => run.state.group !== "running");
  const messages = ended.reduce((sum, run) => sum + run.message_count, 0);
  const imported = ended.some((run) => run.source_kind !== "live");
  const act = async (): Promise<string> => {
    for (const run of ended) await deleteRun(run.id);
    const gone = new Set(ended.map(({ id }) => id));
    queries.setQueriesData<Pages>({ queryKey: keys.allRunPages() }, (old) => old && withoutRuns(old, gone));
    deleted?.();
    await queries.invalidateQueries({ queryKey: keys.allRuns() });
    return `Deleted ${plural(ended.length, "run")}`;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title={runs.length === 1 ? "Delete this run?" : `Delete ${plural(ended.length, "run")}?`}
      confirmLabel={ended.length === 1 ? "Delete run" : `Delete ${plural(ended.length, "run")}`}
      danger
      disabled={ended.length === 0}
      run={act}
    >
      <ul className={classes.deleted}>
        {ended.slice(0, MOST_LISTED).map((run) => (
          <li key={run.id}>
            <b>{run.display_name}</b> <span className="muted">{plural(run.message_count, "message")}</span>
          </li>
        ))}
        {ended.length > MOST_LISTED && <li className="muted">and {formatInteger(ended.length - MOST_LISTED)} more</li>}
      </ul>
      {ended.length > 0 && (
        <p>
          {plural(messages, "message")} and the files that Lion Studio keeps of {ended.length === 1 ? "it" : "them"} are
          deleted. Messages that another run has too are kept. This cannot be undone.
        </p>
      )}
      {imported && <p>The files of the tool that wrote an imported run stay, and are not imported again.</p>}
      {running.length > 0 && <p>{plural(running.length, "run")} still running: stop it first, then delete it.</p>}
    </ConfirmDialog>
  );
}
