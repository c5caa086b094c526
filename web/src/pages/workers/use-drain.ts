// Drains a worker, or undoes it; nothing is lost, so it needs no confirmation.
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { drainWorker, undrainWorker, type Worker } from "@/api/shows";
import { runAction } from "@/ui/feedback/run-action";

export function useDrain(): (worker: Worker) => Promise<boolean> {
  const queries = useQueryClient();
  return ({ id, name, draining }) =>
    runAction(async () => {
      await (draining ? undrainWorker(id) : drainWorker(id));
      await queries.invalidateQueries({ queryKey: keys.workers() });
      return draining ? `${name} takes orders again` : `${name} completes its orders and takes no new ones`;
    });
}
