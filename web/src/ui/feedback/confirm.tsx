// Before something that cannot be undone: what would happen, read from the server, and only then the button.
import { Button, Group, Modal } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useState } from "react";
import { ApiError } from "@/api/errors";
import { withHint } from "@/domain/text/hints";

interface ConfirmDialogProps {
  opened: boolean;
  close: () => void;
  title: string;
  /** What would happen, with its evidence. */
  children: ReactNode;
  /** The word on the button: the deed itself, never "OK". */
  confirmLabel: string;
  danger?: boolean;
  disabled?: boolean;
  /** Does it; what it gives is the sentence of the toast. */
  run: () => Promise<string>;
}

export function ConfirmDialog({
  opened,
  close,
  title,
  children,
  confirmLabel: deed,
  danger,
  disabled = false,
  run,
}: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    const done = await runAction(run);
    setBusy(false);
    if (done) close();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} size="lg">
      {children}
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
          {deed}
        </Button>
      </Group>
    </Modal>
  );
}

/** Run an action and say how it went; true when it went well. Every action of the page goes through here. */
export async function runAction(run: () => Promise<string>): Promise<boolean> {
  try {
    notifications.show({ message: await run(), color: "green", withBorder: true });
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof ApiError ? error.hint : null;
    notifications.show({
      message: withHint(message, hint),
      color: "red",
      withBorder: true,
      autoClose: 12_000,
    });
    return false;
  }
}
