// The star button of a run, and its other labels as items of a menu with their dialogs.
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import type { Run } from "@/api/runs";
import { createStore, useStore } from "@/api/store";
import { useShortcuts } from "../keyboard/shortcuts";
import { withRetry } from "../routing/retry";
import type { LabelAction } from "./label-dialogs";
import { LabelItems } from "./label-items";
import { isStarred, useLabels } from "./labels";
import classes from "./labels.module.css";
import { lastList } from "./last-list";

/** Loaded when a dialog opens. */
export const LabelDialog = lazy(
  withRetry(() => import("./label-dialogs").then(({ LabelDialog: component }) => ({ default: component }))),
);

export function StarButton({ run }: { run: Run }) {
  const { star } = useLabels();
  const starred = isStarred(run);
  const label = starred ? "Remove star" : "Star";
  useShortcuts([{ keys: "s", label: "Star", group: "This run", run: () => void star([run]) }]);
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} aria-pressed={starred} size={30} onClick={() => void star([run])}>
        {starred ? <IconStarFilled size={16} className={classes.star} /> : <IconStar size={16} stroke={1.7} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** The open dialog of the run page; the command palette opens it too. */
export const labelDialog = createStore<{ runId: string; action: LabelAction } | undefined>(undefined);

/** The menu items, and the dialog that they open, which belongs outside the menu. */
export function useLabelItems(run: Run): { items: ReactNode; dialog: ReactNode } {
  const navigate = useNavigate();
  const opened = useStore(labelDialog);
  return {
    items: <LabelItems run={run} open={(action) => labelDialog.set({ runId: run.id, action })} />,
    dialog: opened?.runId === run.id && (
      <Suspense>
        <LabelDialog
          action={opened.action}
          runs={[run]}
          close={() => labelDialog.set(undefined)}
          deleted={() => void navigate({ to: "/runs", search: lastList() })}
        />
      </Suspense>
    ),
  };
}
