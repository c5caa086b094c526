// A new definition: its name, and then the editor with something to begin from.
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { saveDefinition } from "@/api/definitions";
import { ConfirmDialog, runAction } from "@/ui/feedback/confirm";
import type { KINDS } from "./kinds";

// What a file can be called; the server has the last word.
const VALID_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function NewDialog({ info, close }: { info: (typeof KINDS)["agent"]; close: () => void }) {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const isInvalid = name !== "" && !VALID_NAME.test(name);
  const create = async (): Promise<string> => {
    await saveDefinition(info.kind, name, info.template(name), "made in the Studio", null);
    await navigate({ to: info.page, params: { name }, search: { view: "edit" } });
    return `${name} is made`;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title={`New ${info.one}`}
      confirmLabel="Make it"
      disabled={name === "" || isInvalid}
      run={create}
    >
      <TextInput
        label="Name"
        description="Letters, digits, dots, dashes; it is also the name of its file."
        value={name}
        error={isInvalid ? "Only letters, digits, dots and dashes, and a letter or digit first." : undefined}
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
