// Confirmation before something that cannot be undone: what will happen, then the button.
import { Button, Group, Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { isSubmitKey } from "../keyboard/submit-key";
import classes from "./confirm.module.css";
import { runAction } from "./run-action";

interface ConfirmDialogProps {
  opened: boolean;
  close: () => void;
  title: string;
  /** What will happen, with its evidence. */
  children: ReactNode;
  /** The verb on the button, never "OK". */
  confirmLabel: string;
  danger?: boolean;
  disabled?: boolean;
  /** Performs the action and resolves with the text of the notification. */
  run: () => Promise<string>;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, close, title, children, confirmLabel, danger = false, disabled = false, run } = props;
  const [busy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    if (busy || disabled) return;
    setBusy(true);
    const succeeded = await runAction(run);
    setBusy(false);
    if (succeeded) close();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      size="lg"
      onKeyDown={(event) => {
        if (isSubmitKey(event) && event.target instanceof HTMLTextAreaElement) void confirm();
      }}
    >
      <div className={classes.body}>{children}</div>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus>
          Cancel
        </Button>
        <Button
          {...(danger ? { color: "red.8" } : {})}
          disabled={disabled}
          loading={busy}
          onClick={() => void confirm()}
        >
          {confirmLabel}
        </Button>
      </Group>
    </Modal>
  );
}
