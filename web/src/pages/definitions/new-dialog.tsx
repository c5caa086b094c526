// A new definition: its name, and then the editor with something to begin from.
import { TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { save } from "@/api/definitions";
import { ConfirmPreview, told } from "@/ui/feedback/confirm";
import type { KINDS } from "./kinds";

// What a file can be called; the server has the last word.
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function NewDefinition({ words, close }: { words: (typeof KINDS)["agent"]; close: () => void }) {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const wrong = name !== "" && !NAME.test(name);
  const make = async (): Promise<string> => {
    await save(words.kind, name, words.template(name), "made in the Studio", null);
    await navigate({ to: words.page, params: { name }, search: { view: "edit" } });
    return `${name} is made`;
  };
  return (
    <ConfirmPreview
      opened
      close={close}
      title={`New ${words.one}`}
      deed="Make it"
      disabled={name === "" || wrong}
      run={make}
    >
      <TextInput
        label="Name"
        description="Letters, digits, dots, dashes; it is also the name of its file."
        value={name}
        error={wrong ? "Only letters, digits, dots and dashes, and a letter or digit first." : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && name !== "" && !wrong) void told(make).then((made) => made && close());
        }}
        data-autofocus
      />
    </ConfirmPreview>
  );
}
