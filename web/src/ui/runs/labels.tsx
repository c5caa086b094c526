// Change the labels of runs, with Undo.
import { Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { labelRun, STARRED } from "@/api/run-list/labels";
import type { Run } from "@/api/runs";
import { plural } from "@/domain/text/format";
import { showError } from "../feedback/run-action";

/** The parts of a run that labels need. */
export type Labelled = Pick<Run, "id" | "display_name" | "tags">;

export function isStarred(run: Pick<Run, "tags">): boolean {
  return run.tags.includes(STARRED);
}

export function useLabels() {
  const queries = useQueryClient();
  const setTags = (runs: Labelled[], change: (tags: string[]) => string[], message: string): Promise<boolean> =>
    withUndo(
      queries,
      message,
      () => eachRun(queries, runs, (run) => change(run.tags)),
      () => eachRun(queries, runs, (run) => run.tags),
    );
  return {
    /** Star the runs, or remove the stars if all have one. */
    star: (runs: Labelled[]) => {
      const remove = runs.every(isStarred);
      const what = runs.length === 1 ? (runs[0]?.display_name ?? "") : plural(runs.length, "run");
      const others = (tags: string[]): string[] => tags.filter((tag) => tag !== STARRED);
      const change = (tags: string[]): string[] => (remove ? others(tags) : [...others(tags), STARRED]);
      return setTags(runs, change, remove ? `Removed the star of ${what}` : `Starred ${what}`);
    },
    setTags,
    label: async (run: Labelled, labels: { name?: string | null; note?: string | null }): Promise<void> => {
      await labelRun(run.id, labels);
      await refresh(queries, [run]);
    },
  };
}

async function eachRun(queries: QueryClient, runs: Labelled[], tags: (run: Labelled) => string[]): Promise<void> {
  for (const run of runs) await labelRun(run.id, { tags: tags(run) });
  await refresh(queries, runs);
}

/** The feed says so too, but a moment later. */
async function refresh(queries: QueryClient, runs: Labelled[]): Promise<void> {
  const of = runs.map(({ id }) => queries.invalidateQueries({ queryKey: keys.run(id) }));
  await Promise.all([...of, queries.invalidateQueries({ queryKey: keys.allRuns() })]);
}

/** Runs an action and offers to undo it. */
async function withUndo(
  queries: QueryClient,
  message: string,
  act: () => Promise<void>,
  undo: () => Promise<void>,
): Promise<boolean> {
  const id = `undo-${message}`;
  const revert = (): void => {
    notifications.hide(id);
    undo().catch(showError);
  };
  try {
    await act();
    notifications.hide(id);
    notifications.show({
      id,
      color: "green",
      withBorder: true,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <span>{message}</span>
          <Button variant="subtle" size="compact-xs" onClick={revert}>
            Undo
          </Button>
        </Group>
      ),
    });
    return true;
  } catch (error) {
    showError(error);
    await queries.invalidateQueries({ queryKey: keys.allRuns() });
    return false;
  }
}
