// Preview of a prune: the runs to delete, the space to free, and the runs that are kept with the reason.
import { Checkbox, Group, NumberInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { prunePreview } from "@/api/admin";
import { keys, type Schema } from "@/api/keys";
import { launch, startLaunch, waitForLaunch } from "@/api/launches";
import { pruneResult } from "@/domain/prune-result";
import { bytes, plural } from "@/domain/text/format";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import classes from "./admin.module.css";

type Plan = Schema<"PrunePlanView">;

export function PruneDialog({ close, done }: { close: () => void; done: (result: string) => void }) {
  const [days, setDays] = useState<number>();
  const [count, setCount] = useState<number>();
  const [messages, setMessages] = useState(false);
  const [debounced] = useDebouncedValue({ days, count }, 300);
  const query = useQuery({
    ...prunePreview(debounced.days, debounced.count, messages),
    placeholderData: keepPreviousData,
  });
  const queries = useQueryClient();
  const preview = query.data;
  const run = async (): Promise<string> => {
    const kept: Record<string, number> = preview ? { keep_days: preview.keep_days, keep_n: preview.keep_n } : {};
    const options = { ...kept, orphan_progressions: messages ? 1 : 0 };
    const started = await startLaunch({ verb: "prune", target: "sessions", prompt: "", options });
    await waitForLaunch(started.launch.id);
    const { output } = await queries.fetchQuery({ ...launch(started.launch.id, false), staleTime: 0 });
    const result = pruneResult(output);
    done(result);
    await queries.invalidateQueries({ queryKey: keys.admin() });
    await queries.invalidateQueries({ queryKey: keys.launches() });
    return result;
  };
  const settled = debounced.days === days && debounced.count === count && !query.isPlaceholderData;
  const isEmpty = preview ? preview.plan.sessions + preview.plan.orphan_messages === 0 : true;
  return (
    <ConfirmDialog
      opened
      close={close}
      title="Prune old runs?"
      confirmLabel={`Delete ${plural(preview?.plan.sessions ?? 0, "run")}`}
      danger
      disabled={!settled || isEmpty}
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
      <Checkbox
        mt="md"
        label="Delete their messages too"
        description="Otherwise they stay in the file, and searches find them"
        checked={messages}
        onChange={(event) => setMessages(event.currentTarget.checked)}
      />
      <Loaded query={query} label="Preview">
        {({ plan }) => <PlanList plan={plan} />}
      </Loaded>
    </ConfirmDialog>
  );
}

function PlanList({ plan }: { plan: Plan }) {
  const kept: [number, string][] = [
    [plan.kept_running, "active"],
    [plan.kept_for_plays, "linked by a play"],
    [plan.kept_for_teams, "linked by team messages"],
    [plan.kept_for_forks, "the origin of other runs"],
  ];
  return (
    <ul className={classes.preview} aria-label="Preview">
      <li>
        <b>{plural(plan.sessions, "run")}</b> would be deleted
      </li>
      {plan.orphan_messages > 0 && (
        <li>
          <b>{plural(plan.orphan_messages, "message")}</b> would be deleted, with <b>{bytes(plan.bytes_freed)}</b> of
          content
        </li>
      )}
      {plan.left_messages > 0 && (
        <li>
          {plural(plan.left_messages, "message")} of these runs stay, with {bytes(plan.left_bytes)} of content
        </li>
      )}
      {kept.map(
        ([count, reason]) =>
          count > 0 && (
            <li key={reason}>
              {plural(count, "old run")} kept: {reason}
            </li>
          ),
      )}
    </ul>
  );
}
