// Changes one setting in config.toml, with the validation of `li config set`.
import { Button, Group, Modal, Select, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changeSetting } from "@/api/admin";
import { errorText } from "@/api/errors";
import { keys, type Schema } from "@/api/keys";
import { runAction } from "@/ui/feedback/run-action";
import { CodeSpans } from "@/ui/text/code-spans";

type Item = Schema<"SettingShape">;

export function SettingEditor({ item, close }: { item: Item; close: () => void }) {
  const queries = useQueryClient();
  // A value that may hold a key is never in the page; the user types a new one.
  const [value, setValue] = useState(item.hidden || item.value === null ? "" : String(item.value));
  const [error, setError] = useState<string>();
  const save = (next: string | null) =>
    changeSetting(item.name, next).then(
      async ({ setting }) => {
        await queries.invalidateQueries({ queryKey: keys.settings() });
        close();
        await runAction(() => Promise.resolve(`${item.name} is ${setting.value === null ? "not set" : setting.value}`));
      },
      (reason: unknown) => setError(errorText(reason)),
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save(value);
  };
  const options = item.kind === "boolean" ? ["true", "false"] : item.kind === "choice" ? item.choices : undefined;
  const shared = {
    label: item.name,
    description: item.meaning,
    error: error && <CodeSpans text={error} />,
    "data-autofocus": true,
  };
  return (
    <Modal opened onClose={close} title="Change setting">
      <form onSubmit={submit}>
        {options ? (
          <Select
            {...shared}
            data={options}
            value={value}
            allowDeselect={false}
            onChange={(next) => setValue(next ?? "")}
          />
        ) : (
          <TextInput
            {...shared}
            inputMode={item.kind === "integer" ? "numeric" : "text"}
            placeholder={item.hidden ? "The value is hidden; type a new one" : item.default}
            value={value}
            onChange={(event) => {
              setValue(event.currentTarget.value);
              setError(undefined);
            }}
          />
        )}
        <Group justify="flex-end" mt="md">
          {item.origin !== "default" && (
            <Button variant="default" onClick={() => void save(null)}>
              Back to default ({item.default})
            </Button>
          )}
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" disabled={value === ""}>
            Save
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
