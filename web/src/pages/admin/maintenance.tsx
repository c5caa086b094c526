// Checkpoint, vacuum and backup: what it will do in numbers, the confirmation, and the measured result.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { backup, checkpoint, database, vacuum } from "@/api/admin";
import { keys, type Schema } from "@/api/keys";
import { bytes, formatInteger } from "@/domain/text/format";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";

type Facts = Schema<"DatabaseFacts">;
export type Maintenance = "Checkpoint" | "Vacuum" | "Backup";

interface Action {
  question: string;
  preview: (facts: Facts) => string;
  run: () => Promise<string>;
}

const ACTIONS: Record<Maintenance, Action> = {
  Checkpoint: {
    question: "Write the log back into the database?",
    preview: ({ wal_bytes, size_bytes }) =>
      `The write-ahead log has ${bytes(wal_bytes)}, which are copied into the database file of ${bytes(size_bytes)}. ` +
      "Runs go on meanwhile.",
    run: async () => {
      const { result } = await checkpoint();
      const frames = `${formatInteger(result.folded_frames)} of ${formatInteger(result.log_frames)} pages written back`;
      return result.busy ? `${frames}; another process is reading the rest` : frames;
    },
  },
  Vacuum: {
    question: "Rebuild the database file?",
    preview: ({ size_bytes, free_bytes }) =>
      `The file has ${bytes(size_bytes)}, of which ${bytes(free_bytes)} are free pages. It is rebuilt without them, and ` +
      `its search index is merged. That needs up to ${bytes(size_bytes)} of disk space for a moment, and runs wait to ` +
      "record until it is done.",
    run: async () => {
      const { result } = await vacuum();
      const freed = Math.max(0, result.bytes_before - result.bytes_after);
      return `${bytes(result.bytes_before)} → ${bytes(result.bytes_after)}, ${bytes(freed)} freed`;
    },
  },
  Backup: {
    question: "Copy the database?",
    preview: ({ size_bytes, wal_bytes }) =>
      `A copy of about ${bytes(size_bytes + wal_bytes)} is written to the folder “backups” of the home. Runs go on ` +
      "meanwhile.",
    run: async () => {
      const { result } = await backup();
      return `${result.path} (${bytes(result.bytes)})`;
    },
  },
};

interface DialogProps {
  name: Maintenance;
  close: () => void;
  done: (result: string) => void;
}

export function MaintenanceDialog({ name, close, done }: DialogProps) {
  const query = useQuery(database());
  const queries = useQueryClient();
  const action = ACTIONS[name];
  const run = async (): Promise<string> => {
    const result = `${name}: ${await action.run()}`;
    done(result);
    await queries.invalidateQueries({ queryKey: keys.admin() });
    return result;
  };
  return (
    <ConfirmDialog opened close={close} title={action.question} confirmLabel={name} run={run}>
      <Loaded query={query} label="Database">
        {({ stats }) => <p>{action.preview(stats)}</p>}
      </Loaded>
    </ConfirmDialog>
  );
}
