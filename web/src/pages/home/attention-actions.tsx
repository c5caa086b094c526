// Actions on an attention item. The API describes the request, the label and the equivalent command.
import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { send } from "@/api/client";
import type { AttentionItem } from "@/api/home";
import { keys, type Schema } from "@/api/keys";
import { withRetry } from "@/ui/routing/retry";
import { CodeSpans } from "@/ui/text/code-spans";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./attention.module.css";

const ActionDialog = lazy(
  withRetry(async () => ({ default: (await import("@/ui/feedback/action-dialog")).ActionDialog })),
);
type AttentionAction = Schema<"WaitingAction">;
const MAX_BUTTONS = 2;

export function AttentionActions({ item }: { item: AttentionItem }) {
  const [selected, setSelected] = useState<AttentionAction>();
  return (
    <span className={classes.actions}>
      {item.actions.slice(0, MAX_BUTTONS).map((action) =>
        action.path ? (
          <Button key={action.label} size="compact-xs" variant="default" onClick={() => setSelected(action)}>
            <CodeSpans text={action.label} />
          </Button>
        ) : (
          <CommandButton key={action.label} action={action} />
        ),
      )}
      {selected && (
        <Suspense>
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
        </Suspense>
      )}
    </span>
  );
}

/** An action that only the terminal offers: copies its command. */
function CommandButton({ action }: { action: AttentionAction }) {
  return <CopyButton text={action.command} label={`${action.label}: copy ${action.command}`} />;
}
