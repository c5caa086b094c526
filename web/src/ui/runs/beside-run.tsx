// The run page with the list that the user came from: on wide screens beside the run, and by [ and ] on all.
import { ActionIcon, Tooltip } from "@mantine/core";
import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { apiFilters } from "@/api/run-list/search";
import type { Run } from "@/api/runs";
import { useShortcuts } from "../keyboard/shortcuts";
import { withRetry } from "../routing/retry";
import classes from "./beside-run.module.css";
import { lastList } from "./last-list";
import { findNeighbour } from "./neighbour";

const SideList = lazy(
  withRetry(() => import("./side-list").then(({ SideList: component }) => ({ default: component }))),
);

interface BesideRunProps {
  runId: string;
  /** The run, when it is loaded. */
  run: Run | undefined;
  children: ReactNode;
}

export function BesideRun({ runId, run, children }: BesideRunProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isWide = useMediaQuery("(min-width: 1600px)", false, { getInitialValueInEffect: false });
  const [isShown, setShown] = useLocalStorage({
    key: "lion-list-beside-run",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  // The list stays the same while the user goes from run to run.
  const [search] = useState(lastList);
  const step = async (direction: 1 | -1): Promise<void> => {
    if (!run) return;
    const next = await findNeighbour(queries, apiFilters(search), run, direction);
    if (next !== undefined) void navigate({ to: "/runs/$runId", params: { runId: next }, replace: true });
  };
  useShortcuts([
    { keys: "[", label: "Previous run of the list", group: "This run", run: () => void step(-1) },
    { keys: "]", label: "Next run of the list", group: "This run", run: () => void step(1) },
  ]);
  if (!isWide) return children;
  const label = isShown ? "Hide the list" : "Show the list";
  return (
    <div className={classes.columns}>
      <aside className={classes.side} data-shown={isShown} aria-label="List of runs">
        <Tooltip label={label}>
          <ActionIcon
            className={classes.toggle}
            aria-label={label}
            aria-expanded={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <IconLayoutSidebarLeftCollapse size={16} /> : <IconLayoutSidebarLeftExpand size={16} />}
          </ActionIcon>
        </Tooltip>
        {isShown && (
          <Suspense>
            <SideList search={search} runId={runId} />
          </Suspense>
        )}
      </aside>
      <div className={classes.main}>{children}</div>
    </div>
  );
}
