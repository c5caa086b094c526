// Asks before the user leaves the page or closes the tab with unsaved changes.
import { Button, Group, Modal } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";

export function UnsavedGuard({ unsaved }: { unsaved: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  });
  return (
    <Modal opened={blocker.status === "blocked"} onClose={() => blocker.reset?.()} title="Leave without saving?">
      <p>Your changes are not saved.</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => blocker.proceed?.()}>
          Discard changes
        </Button>
        <Button onClick={() => blocker.reset?.()} data-autofocus>
          Keep editing
        </Button>
      </Group>
    </Modal>
  );
}
