// The dialog of an action that the server offers: description, form fields, and the confirm button.
import { Code, Textarea, TextInput } from "@mantine/core";
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "@/api/errors";
import { type ActionField, type ActionResponse, parseFields, resultMessage } from "@/domain/actions";
import { CodeSpans } from "../text/code-spans";
import { SentenceList } from "../text/sentence-list";
import { ConfirmDialog } from "./confirm";
import classes from "./confirm.module.css";

interface ActionDialogProps {
  action: {
    label: string;
    danger: boolean;
    what?: string | null;
    fields: readonly ActionField[];
    /** The changes that the action decides about. */
    held?: readonly string[];
  };
  /** The run, show or play that the action is about. */
  subject: string;
  evidence?: string | null;
  /** Values of fields that a person may change. */
  initial?: Record<string, string>;
  /** The equivalent command. */
  command?: string;
  perform: (fields: Record<string, string | number>) => Promise<ActionResponse>;
  /** The query to invalidate afterwards. */
  queryKey: QueryKey;
  close: () => void;
}

export function ActionDialog(props: ActionDialogProps) {
  const { action, subject, evidence, initial = {}, command, perform, queryKey, close } = props;
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>(initial);
  const fields = parseFields(action.fields, values);
  const title = `${action.label}: ${subject}`;
  const run = async (): Promise<string> => {
    try {
      return resultMessage(await perform(fields ?? {}), title);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "conflict")) throw error;
      close(); // what it shows has changed
      throw new Error("The show changed since you looked. Look again.");
    } finally {
      await queries.invalidateQueries({ queryKey });
    }
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title={title}
      confirmLabel={action.label}
      danger={action.danger}
      disabled={fields === null}
      run={run}
    >
      {evidence && (
        <p>
          <CodeSpans text={evidence} />
        </p>
      )}
      {action.what && <p>{action.what}</p>}
      {action.held && action.held.length > 0 && (
        <>
          <p className={classes.label}>Changes that are held back</p>
          <SentenceList lines={action.held} />
        </>
      )}
      {action.fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          change={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      {command && (
        <>
          <p className="muted">In a terminal:</p>
          <Code block>{command}</Code>
        </>
      )}
    </ConfirmDialog>
  );
}

function Field(props: { field: ActionField; value: string; change: (value: string) => void }) {
  const { field, value, change } = props;
  const shared = {
    label: field.label,
    required: field.required,
    mt: "sm",
    value,
    "data-autofocus": true,
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  if (field.kind === "lines") return <Textarea {...shared} autosize minRows={3} maxRows={12} />;
  return <TextInput {...shared} inputMode={field.kind === "number" ? "decimal" : "text"} />;
}
