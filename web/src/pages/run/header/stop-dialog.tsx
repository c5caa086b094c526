import { post } from "@/api/client";
import { resultMessage } from "@/domain/actions";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import type { Detail } from "../transcript/segments";

interface StopDialogProps {
  opened: boolean;
  close: () => void;
  detail: Detail;
}

export function StopDialog({ opened, close, detail: { session, commands } }: StopDialogProps) {
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title="Stop this run?"
      confirmLabel="Stop run"
      danger
      run={() => stopRun(session.id)}
    >
      <p>
        Studio asks the agent of <b>{session.display_name}</b> and every process it started to stop, and kills them
        after 15 seconds. Recorded messages are kept. In a terminal: <code>{commands.kill}</code>
      </p>
    </ConfirmDialog>
  );
}

async function stopRun(id: string): Promise<string> {
  const path = { session_id: id };
  const result = await post("/api/sessions/{session_id}/stop", { path, body: { grace_seconds: 15 } });
  return resultMessage(result, "Run stopped");
}
