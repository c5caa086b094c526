// Shown when the file changed on disk since it was opened: the user decides which version to keep.
import { Button, Group, Modal } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { Detail } from "@/api/definitions";
import { LoadingLine } from "@/ui/feedback/placeholders";

const CodeDiff = lazy(() => import("./code-diff"));

interface ConflictDialogProps {
  mine: string;
  theirs: Detail;
  close: () => void;
  keepMine: () => void;
  takeTheirs: () => void;
}

export function ConflictDialog({ mine, theirs, close, keepMine, takeTheirs }: ConflictDialogProps) {
  return (
    <Modal opened onClose={close} title="Changed on disk" size="xl">
      <p>
        {theirs.definition.path} changed since you opened it. The diff shows what your version changes in it. The
        version that you do not keep stays in the history.
      </p>
      <Suspense fallback={<LoadingLine label="diff" />}>
        <CodeDiff before={theirs.text ?? ""} after={mine} label="Changes of your version" />
      </Suspense>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus>
          Continue editing
        </Button>
        <Button variant="default" onClick={takeTheirs}>
          Use version on disk
        </Button>
        <Button onClick={keepMine}>Keep my version</Button>
      </Group>
    </Modal>
  );
}
