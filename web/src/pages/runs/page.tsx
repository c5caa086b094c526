// Runs: one bar of filters, and a list that never moves under the reader.
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
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns();
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title="Runs"
      beside={list.total !== undefined && !isFiltered ? <Total count={list.total} /> : undefined}
      actions={<ColumnPicker {...columns} />}
      bar={
        chosen.size > 0 ? (
          <SelectionBar chosen={chosen} clear={() => setChosen(new Set())} />
        ) : (
          <RunsFilter search={search} />
        )
      }
      fill
    >
      {list.error && list.runs.length === 0 ? (
        <ErrorState error={list.error} label="Runs" retry={list.retry} />
      ) : list.loading ? (
        <LoadingLine what="runs" />
      ) : list.runs.length === 0 ? (
        <NoRuns filtered={isFiltered} />
      ) : (
        <RunList
          key={JSON.stringify(search)}
          list={list}
          shown={columns.shown}
          chosen={chosen}
          setChosen={setChosen}
          leave={() => void navigate({ search: {} })}
        />
      )}
    </Page>
  );
}

function Total({ count }: { count: number }) {
  return <span style={{ color: "var(--dim)", fontSize: 12.5 }}>{formatInteger(count)}</span>;
}

function NoRuns({ filtered }: { filtered: boolean }) {
  if (filtered)
    return <EmptyState title="No run is like that">Esc or Clear takes the filters away.</EmptyState>;
  return (
    <EmptyState title="No runs yet">
      <code>li agent script "@say hello"</code> starts one; it appears here by itself.
    </EmptyState>
  );
}
