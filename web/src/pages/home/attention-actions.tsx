// Actions on an attention item. The API describes the request, the label and the equivalent command.
import { Button, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { send } from "@/api/client";
import { keys, type Schema } from "@/api/keys";
import { ActionDialog } from "@/ui/feedback/action-dialog";
import classes from "./home.module.css";

type AttentionAction = Schema<"WaitingAction">;
const MAX_BUTTONS = 2;

export function AttentionActions({ item }: { item: Schema<"Waiting"> }) {
  const [selected, setSelected] = useState<AttentionAction>();
  return (
    <span className={classes.actions}>
      {item.actions.slice(0, MAX_BUTTONS).map((action) =>
        action.path ? (
          <Button key={action.label} size="compact-xs" variant="default" onClick={() => setSelected(action)}>
            {action.label}
          </Button>
        ) : (
          <CommandButton key={action.label} action={action} />
        ),
      )}
      {selected && (
        <ActionDialog
          action={selected}
          subject={item.title}
          evidence={item.evidence}
          command={selected.command}
          perform={async (fields) => {
            const body = { ...selected.body, ...fields };
            return (await send(selected.method ?? "POST", selected.path ?? "", { body })).json();
          }}
          queryKey={keys.attention()}
          close={() => setSelected(undefined)}
        />
      )}
    </span>
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
