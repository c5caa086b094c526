import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { formatInteger } from "@/domain/text/format";
import { EmptyState, ErrorState, LoadingLine } from "@/ui/feedback/placeholders";
import { Page } from "@/ui/page";
import { apiFilters } from "./api-filters";
import { ColumnPicker, useColumns } from "./column-picker";
import { RunList } from "./run-list";
import { RunsFilter } from "./runs-filter";
import { SelectionBar } from "./selection-bar";
import { useRunList } from "./use-run-list";

export function RunsPage() {
  const search = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const list = useRunList(apiFilters(search));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns();
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title="Runs"
      beside={list.total !== undefined && !isFiltered ? <Total count={list.total} /> : undefined}
      actions={<ColumnPicker {...columns} />}
      bar={
        selected.size > 0 ? (
          <SelectionBar selected={selected} clear={() => setSelected(new Set())} />
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
        <NoRuns filtered={isFiltered} />
      ) : (
        <RunList
          key={JSON.stringify(search)}
          list={list}
          shown={columns.shown}
          selected={selected}
          setSelected={setSelected}
          leave={() => void navigate({ search: {} })}
        />
      )}
    </Page>
  );
}

function Total({ count }: { count: number }) {
  return <span className="muted">{formatInteger(count)}</span>;
}

function NoRuns({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="No runs match these filters">Press Esc or Clear to reset them.</EmptyState>;
  return (
    <EmptyState title="No runs yet">
      Start one with <code>li agent script "@say hello"</code>; it appears here.
    </EmptyState>
  );
}
