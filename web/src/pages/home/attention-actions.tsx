// What can be done about something that waits, in place: the API names the deed, its request and its words.
import { Button, Code, Text, Tooltip } from "@mantine/core";
import { useClipboard, useDisclosure } from "@mantine/hooks";
import { IconCheck, IconTerminal2 } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "@/api/client";
import { keys, type Schema } from "@/api/keys";
import { filled, outcomeOf } from "@/domain/actions";
import { WantedFields } from "@/ui/action-fields";
import { ConfirmPreview } from "@/ui/feedback/confirm";
import classes from "./home.module.css";

type Deed = Schema<"WaitingAction">;
const SHOWN = 2;

export function Deeds({ deeds, title, evidence }: { deeds: Deed[]; title: string; evidence: string | null }) {
  return (
    <span className={classes.deeds}>
      {deeds
        .slice(0, SHOWN)
        .map((deed) =>
          deed.path ? (
            <Doing key={deed.label} deed={deed} title={title} evidence={evidence} />
          ) : (
            <Words key={deed.label} deed={deed} />
          ),
        )}
    </span>
  );
}

function Doing({ deed, title, evidence }: { deed: Deed; title: string; evidence: string | null }) {
  const [opened, { open, close }] = useDisclosure();
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const given = filled(deed.fields, values);
  const run = async (): Promise<string> => {
    const answer = await send(deed.method ?? "POST", deed.path ?? "", { body: { ...deed.body, ...given } });
    const said = outcomeOf(await answer.json(), `${deed.label}: ${title}.`);
    await queries.invalidateQueries({ queryKey: keys.attention() });
    return said;
  };
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open}>
        {deed.label}
      </Button>
      <ConfirmPreview
        opened={opened}
        close={close}
        title={`${deed.label}: ${title}`}
        deed={deed.label}
        danger={deed.danger}
        disabled={given === null}
        run={run}
      >
        <Text>{evidence}</Text>
        {deed.what && <Text mt="sm">{deed.what}</Text>}
        <WantedFields fields={deed.fields} values={values} change={setValues} />
        <Text mt="sm" c="dimmed">
          The same in a terminal:
        </Text>
        <Code block mt={4}>
          {deed.command}
        </Code>
      </ConfirmPreview>
    </>
  );
}

/** Something that only a terminal can do: the words for it, copied. */
function Words({ deed }: { deed: Deed }) {
  const { copied, copy } = useClipboard({ timeout: 1500 });
  const Sign = copied ? IconCheck : IconTerminal2;
  return (
    <Tooltip label={copied ? "Copied" : `Copy: ${deed.command}`}>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<Sign size={12} />}
        onClick={() => copy(deed.command)}
      >
        {deed.label}
      </Button>
    </Tooltip>
  );
}
