import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { apiFilters, type RunsSearch } from "@/api/run-list/search";
import type { Run } from "@/api/runs";
import { ErrorState, LoadingLine } from "@/ui/feedback/placeholders";
import { NewRunButton } from "@/ui/new-run/new-run-button";
import { Page } from "@/ui/page";
import { LabelDialog } from "@/ui/runs/label-actions";
import type { LabelAction } from "@/ui/runs/label-dialogs";
import { rememberList } from "@/ui/runs/last-list";
import { useRunList } from "@/ui/runs/use-run-list";
import { ColumnPicker, useColumns } from "./column-picker";
import { RunsFilter } from "./filter-bar";
import { ListTotals } from "./list-totals";
import { NoRuns } from "./no-runs";
import { RunList } from "./run-list";
import { SelectionBar } from "./selection-bar";

const NONE: ReadonlyMap<string, Run> = new Map();

export function RunsPage() {
  const search = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const list = useRunList(apiFilters(search));
  const [selected, setSelected] = useState(NONE);
  const [dialog, setDialog] = useState<{ action: LabelAction; runs: Run[] }>();
  const columns = useColumns();
  const chosen = [...selected.values()].map((run) => list.runs.find(({ id }) => id === run.id) ?? run);
  const go = (next: RunsSearch): void => void navigate({ search: next });
  useEffect(() => rememberList(search), [search]);
  return (
    <Page
      title="Runs"
      beside={<ListTotals search={search} />}
      actions={
        <>
          <ColumnPicker {...columns} />
          <NewRunButton />
        </>
      }
      bar={
        selected.size > 0 ? (
          <SelectionBar
            selected={chosen}
            clear={() => setSelected(NONE)}
            openDialog={(action) => setDialog({ action, runs: chosen })}
          />
        ) : (
          <RunsFilter search={search} />
        )
      }
      fill
    >
      {list.error && list.runs.length === 0 ? (
        <ErrorState error={list.error} label="Runs" retry={list.retry} />
      ) : list.loading ? (
        <LoadingLine label="runs" />
      ) : list.runs.length === 0 ? (
        <NoRuns search={search} go={go} />
      ) : (
        <RunList
          key={JSON.stringify(search)}
          list={list}
          shown={columns.shown}
          order={search}
          sortBy={(order) => go({ ...search, sort: order.sort, order: order.order })}
          selected={selected}
          setSelected={setSelected}
          openDialog={(action, run) => setDialog({ action, runs: [run] })}
          leave={() => go({})}
        />
      )}
      {dialog && (
        <Suspense>
          <LabelDialog {...dialog} close={() => setDialog(undefined)} deleted={() => setSelected(NONE)} />
        </Suspense>
      )}
    </Page>
  );
}
