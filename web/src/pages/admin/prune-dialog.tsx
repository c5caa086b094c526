// Preview of a prune: the runs to delete, the space to free, and the runs that are kept with the reason.
import { Group, NumberInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { prunePreview } from "@/api/admin";
import { keys } from "@/api/keys";
import { startLaunch } from "@/api/launches";
import { bytes, formatInteger, plural } from "@/domain/text/format";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import classes from "./admin.module.css";

export function PruneDialog({ close }: { close: () => void }) {
  const [days, setDays] = useState<number>();
  const [count, setCount] = useState<number>();
  const [debounced] = useDebouncedValue({ days, count }, 300);
  const query = useQuery({
    ...prunePreview(debounced.days, debounced.count),
    placeholderData: keepPreviousData,
  });
  const queries = useQueryClient();
  const preview = query.data;
  const run = async (): Promise<string> => {
    const options: Record<string, number> = preview ? { keep_days: preview.keep_days, keep_n: preview.keep_n } : {};
    await startLaunch({ verb: "prune", target: "sessions", prompt: "", options });
    await queries.invalidateQueries({ queryKey: keys.launches() });
    return "Prune started; see Launches for its output";
  };
  const settled = debounced.days === days && debounced.count === count && !query.isPlaceholderData;
  return (
    <ConfirmDialog
      opened
      close={close}
      title="Prune old runs?"
      confirmLabel={`Delete ${plural(preview?.plan.sessions ?? 0, "run")}`}
      danger
      disabled={!preview || !settled || preview.plan.sessions === 0}
      run={run}
    >
      <Group gap="md">
        <NumberInput
          label="Keep runs of the last (days)"
          min={0}
          value={days ?? preview?.keep_days ?? ""}
          onChange={(value) => setDays(typeof value === "number" ? value : undefined)}
        />
        <NumberInput
          label="Always keep the newest (runs)"
          min={0}
          value={count ?? preview?.keep_n ?? ""}
          onChange={(value) => setCount(typeof value === "number" ? value : undefined)}
        />
      </Group>
      <Loaded query={query} label="Preview">
        {({ plan }) => (
          <ul className={classes.preview}>
            <li>
              <b>{plural(plan.sessions, "run")}</b> would be deleted and about <b>{bytes(plan.bytes_freed)}</b> freed
            </li>
            <li>{formatInteger(plan.kept_running)} kept because they are active</li>
            <li>{formatInteger(plan.kept_for_plays)} kept because a play links to them</li>
            <li>{formatInteger(plan.kept_for_teams)} kept because team messages link to them</li>
            <li>{formatInteger(plan.kept_for_forks)} kept because other runs were forked from them</li>
          </ul>
        )}
      </Loaded>
    </ConfirmDialog>
  );
}
