// The list of runs, and the button that shows new ones.
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowUp } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type Dispatch, type SetStateAction, useEffect, useRef } from "react";
import type { Run } from "@/api/runs";
import { plural } from "@/domain/text/format";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list";
import type { LabelAction } from "@/ui/runs/label-dialogs";
import { useLabels } from "@/ui/runs/labels";
import type { RunListing } from "@/ui/runs/use-run-list";
import type { Column } from "./columns";
import newRuns from "./new-runs.module.css";
import { RunRow } from "./run-row";
import classes from "./runs.module.css";
import { type ListOrder, RunsHeader } from "./runs-header";

const HEADER_HEIGHT = 30;
const ROW_HEIGHT = 52;

interface RunListProps {
  list: RunListing;
  shown: ReadonlySet<Column>;
  order: ListOrder;
  sortBy: (order: ListOrder) => void;
  selected: ReadonlyMap<string, Run>;
  setSelected: Dispatch<SetStateAction<ReadonlyMap<string, Run>>>;
  openDialog: (action: LabelAction, run: Run) => void;
  leave: () => void;
}

export function RunList(props: RunListProps) {
  const { list, shown, order, sortBy, selected, setSelected, openDialog, leave } = props;
  const { runs, newCount, showNew } = list;
  const navigate = useNavigate();
  const { star } = useLabels();
  const handle = useRef<VirtualListHandle>(null);
  const top = useRef(true);
  const wide = useMediaQuery("(min-width: 821px)", true, { getInitialValueInEffect: false });
  const toggleSelected = (index: number): void => {
    const run = runs[index];
    // From the selection as it is then: a row that did not render again holds an older one.
    if (run) setSelected((old) => toggle(old, run));
  };
  const open = (index: number): void => {
    const run = runs[index];
    if (run) void navigate({ to: "/runs/$runId", params: { runId: run.id } });
  };
  const [at, setAt] = useListKeys({
    count: runs.length,
    open,
    select: toggleSelected,
    leave: () => (selected.size > 0 ? setSelected(new Map()) : leave()),
    reveal: (index) => handle.current?.scrollTo(index),
  });
  const current = runs[at];
  useShortcuts([
    { keys: "s", label: "Star", group: "This list", run: () => current && void star([current]) },
    { keys: "t", label: "Tags", group: "This list", run: () => current && openDialog("tags", current) },
  ]);
  // At the top, with no row under the cursor, new rows cannot move what the user reads.
  useEffect(() => {
    if (newCount > 0 && top.current && at < 0) showNew();
  }, [newCount, at, showNew]);
  return (
    <div className={classes.frame}>
      {newCount > 0 && (
        <Button
          className={newRuns.button}
          radius="xl"
          leftSection={<IconArrowUp size={13} />}
          onClick={() => {
            showNew();
            setAt(-1);
            handle.current?.scrollTo(0, "start");
          }}
        >
          {plural(newCount, "new run")}
        </Button>
      )}
      <VirtualList
        before={<RunsHeader shown={shown} order={order} sortBy={sortBy} />}
        beforeHeight={wide ? HEADER_HEIGHT : 0}
        label="Runs"
        handle={handle}
        count={runs.length}
        estimate={wide ? ROW_HEIGHT : 84}
        keyOf={(index) => runs[index]?.id ?? index}
        nearEnd={list.hasMore ? list.more : undefined}
        onScroll={(element) => {
          top.current = element.scrollTop < 10;
        }}
        render={(index) => {
          const run = runs[index];
          if (!run) return null;
          return (
            <RunRow
              run={run}
              shown={shown}
              active={index === at}
              selected={selected.has(run.id)}
              toggleSelected={() => toggleSelected(index)}
              openDialog={openDialog}
            />
          );
        }}
      />
    </div>
  );
}

function toggle(selected: ReadonlyMap<string, Run>, run: Run): ReadonlyMap<string, Run> {
  const next = new Map(selected);
  if (!next.delete(run.id)) next.set(run.id, run);
  return next;
}
