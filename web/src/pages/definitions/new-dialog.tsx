// Creates a definition from a template or from another one, and opens it in the editor.
import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { saveDefinition } from "@/api/definitions";
import { keys } from "@/api/keys";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { runAction } from "@/ui/feedback/run-action";
import type { KINDS } from "./kinds";

// A valid file name; the server validates it as well.
const VALID_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

interface NewDialogProps {
  info: (typeof KINDS)["agent"];
  /** The definition that is duplicated. */
  source?: { name: string; text: string };
  close: () => void;
}

export function NewDialog({ info, source, close }: NewDialogProps) {
  const [name, setName] = useState(source ? `${source.name}-copy` : "");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isInvalid = name !== "" && !VALID_NAME.test(name);
  const create = async (): Promise<string> => {
    const text = source ? renamed(source.text, name) : info.template(name);
    await saveDefinition(info.kind, name, text, source ? `Copy of ${source.name}` : "Created in Studio", null);
    queries.removeQueries({ queryKey: keys.definition(info.kind, name) });
    await queries.invalidateQueries({ queryKey: keys.definitions(info.kind) });
    await navigate({ to: info.page, params: { name }, search: { view: "edit" } });
    return `Created ${name}`;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title={source ? `Duplicate ${source.name}` : `New ${info.one}`}
      confirmLabel={source ? "Duplicate" : "Create"}
      disabled={name === "" || isInvalid}
      run={create}
    >
      <TextInput
        label="Name"
        description="Letters, digits, dots, dashes and underscores. It is also the file name."
        value={name}
        error={
          isInvalid ? "Start with a letter or digit; then use letters, digits, dots, dashes and underscores" : undefined
        }
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && name !== "" && !isInvalid)
            void runAction(create).then((created) => created && close());
        }}
        data-autofocus
      />
    </ConfirmDialog>
  );
}

/** The text with its `name` field changed, where it has one. */
function renamed(text: string, name: string): string {
  return text.replace(/^name:[^\n\r]*/m, `name: ${name}`);
}
