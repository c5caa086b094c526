// Creates a definition from a template and opens it in the editor.
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { saveDefinition } from "@/api/definitions";
import { ConfirmDialog, runAction } from "@/ui/feedback/confirm";
import type { KINDS } from "./kinds";

// A valid file name; the server validates it as well.
const VALID_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function NewDialog({ info, close }: { info: (typeof KINDS)["agent"]; close: () => void }) {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const isInvalid = name !== "" && !VALID_NAME.test(name);
  const create = async (): Promise<string> => {
    await saveDefinition(info.kind, name, info.template(name), "Created in Studio", null);
    await navigate({ to: info.page, params: { name }, search: { view: "edit" } });
    return `Created ${name}`;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title={`New ${info.one}`}
      confirmLabel="Create"
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
