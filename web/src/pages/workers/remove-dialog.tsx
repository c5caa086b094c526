// Confirms the removal of a worker that is not connected and has no orders.
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { removeWorker, type Worker } from "@/api/shows";
import { ConfirmDialog } from "@/ui/feedback/confirm";

export function RemoveDialog({ worker, close }: { worker: Worker; close: () => void }) {
  const queries = useQueryClient();
  const run = async (): Promise<string> => {
    await removeWorker(worker.id);
    await queries.invalidateQueries({ queryKey: keys.workers() });
    return `Removed ${worker.name}`;
  };
  return (
    <ConfirmDialog opened close={close} title={`Remove ${worker.name}?`} confirmLabel="Remove worker" danger run={run}>
      <p>The list forgets this worker. Its sessions stay, and it is listed again when it is started again.</p>
    </ConfirmDialog>
  );
}
