// The file was changed by somebody else since it was opened: a person looks at both and decides.
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
        {theirs.definition.path} was changed since you opened it. Below is what your text would change in it.
        Both are kept: whatever is replaced stays in the history.
      </p>
      <Suspense fallback={<LoadingLine label="the difference" />}>
        <CodeDiff before={theirs.text ?? ""} after={mine} label="What your text would change" />
      </Suspense>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close} data-autofocus>
          Go on editing
        </Button>
        <Button variant="default" onClick={takeTheirs}>
          Take theirs
        </Button>
        <Button onClick={keepMine}>Keep mine</Button>
      </Group>
    </Modal>
  );
}
