// Actions on an attention item. The API describes the request, the label and the equivalent command.
import { Button, Code, Text, Tooltip } from "@mantine/core";
import { useClipboard, useDisclosure } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "@/api/client";
import { keys, type Schema } from "@/api/keys";
import { parseFields, resultMessage } from "@/domain/actions";
import { ActionFields } from "@/ui/action-fields";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import classes from "./home.module.css";

type AttentionAction = Schema<"WaitingAction">;
const MAX_BUTTONS = 2;

export function AttentionActions({
  actions,
  title,
  evidence,
}: {
  actions: AttentionAction[];
  title: string;
  evidence: string | null;
}) {
  return (
    <span className={classes.actions}>
      {actions
        .slice(0, MAX_BUTTONS)
        .map((action) =>
          action.path ? (
            <ConfirmAction key={action.label} action={action} title={title} evidence={evidence} />
          ) : (
            <CommandButton key={action.label} action={action} />
          ),
        )}
    </span>
  );
}

function ConfirmAction({
  action,
  title,
  evidence,
}: {
  action: AttentionAction;
  title: string;
  evidence: string | null;
}) {
  const [opened, { open, close }] = useDisclosure();
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const body = parseFields(action.fields, values);
  const run = async (): Promise<string> => {
    const response = await send(action.method ?? "POST", action.path ?? "", {
      body: { ...action.body, ...body },
    });
    const message = resultMessage(await response.json(), `${action.label}: ${title}`);
    await queries.invalidateQueries({ queryKey: keys.attention() });
    return message;
  };
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={open}>
        {action.label}
      </Button>
      <ConfirmDialog
        opened={opened}
        close={close}
        title={`${action.label}: ${title}`}
        confirmLabel={action.label}
        danger={action.danger}
        disabled={body === null}
        run={run}
      >
        <Text>{evidence}</Text>
        {action.what && <Text mt="sm">{action.what}</Text>}
        <ActionFields fields={action.fields} values={values} change={setValues} />
        <Text mt="sm" c="dimmed">
          In a terminal:
        </Text>
        <Code block mt={4}>
          {action.command}
        </Code>
      </ConfirmDialog>
    </>
  );
}

/** An action that only the terminal offers: copies its command. */
function CommandButton({ action }: { action: AttentionAction }) {
  const { copied, copy } = useClipboard({ timeout: 1500 });
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <Tooltip label={copied ? "Copied" : `Copy command: ${action.command}`}>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<Icon size={12} />}
        aria-label={`${action.label} (copy command)`}
        onClick={() => copy(action.command)}
      >
        {action.label}
      </Button>
    </Tooltip>
  );
}
