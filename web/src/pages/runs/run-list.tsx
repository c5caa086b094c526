// The list of runs, and the button that shows new ones.
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowUp } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { plural } from "@/domain/text/format";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list";
import type { Column } from "./columns";
import { RunRow, RunsHeader } from "./run-row";
import classes from "./runs.module.css";
import type { RunListing } from "./use-run-list";

const HEADER_HEIGHT = 30;

interface RunListProps {
  list: RunListing;
  shown: ReadonlySet<Column>;
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
  leave: () => void;
}

export function RunList({ list, shown, selected, setSelected, leave }: RunListProps) {
  const { runs, newCount, showNew } = list;
  const navigate = useNavigate();
  const handle = useRef<VirtualListHandle>(null);
  const top = useRef(true);
  const wide = useMediaQuery("(min-width: 821px)", true, { getInitialValueInEffect: false });
  const toggleSelected = (index: number): void => {
    const id = runs[index]?.id;
    if (id) setSelected(toggle(selected, id));
  };
  const open = (index: number): void => {
    const run = runs[index];
    if (run) void navigate({ to: "/runs/$runId", params: { runId: run.id } });
  };
  const [at, setAt] = useListKeys({
    count: runs.length,
    open,
    select: toggleSelected,
    leave: () => (selected.size > 0 ? setSelected(new Set()) : leave()),
    reveal: (index) => handle.current?.scrollTo(index),
  });
  // At the top, with no row under the cursor, new rows cannot move what the user reads.
  useEffect(() => {
    if (newCount > 0 && top.current && at < 0) showNew();
  }, [newCount, at, showNew]);
  return (
    <div className={classes.frame}>
      {newCount > 0 && (
        <Button
          className={classes.newRunsButton}
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
        before={<RunsHeader shown={shown} />}
        beforeHeight={wide ? HEADER_HEIGHT : 0}
        label="Runs"
        handle={handle}
        count={runs.length}
        estimate={51}
        keyOf={(index) => runs[index]?.id ?? index}
        nearEnd={list.hasMore ? list.more : undefined}
        onScroll={(element) => {
          top.current = element.scrollTop < 10;
        }}
        render={(index) => {
          const run = runs[index];
          if (!run) return null;
          const isSelected = selected.has(run.id);
          return (
            <RunRow
              run={run}
              shown={shown}
              active={index === at}
              selected={isSelected}
              toggleSelected={() => toggleSelected(index)}
            />
          );
        }}
      />
    </div>
  );
}

function toggle(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
