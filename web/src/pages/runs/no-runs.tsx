// An empty list: how to get the first run, or which filter to drop.
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { totals } from "@/api/run-list/labels";
import { apiFilters, type RunsSearch, withoutOrder } from "@/api/run-list/search";
import { filePath } from "@/domain/text/file-path";
import { compact, plural } from "@/domain/text/format";
import { EmptyState } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { openNewRun } from "@/ui/new-run/open-new-run";
import { setFilters, withoutFilter } from "./filter-names";
import { isFiltered } from "./list-totals";

interface NoRunsProps {
  search: RunsSearch;
  go: (search: RunsSearch) => void;
}

export function NoRuns({ search, go }: NoRunsProps) {
  if (isFiltered(search)) {
    const set = [
      ...(search.q ? [{ name: "q" as const, label: "Text", text: search.q }] : []),
      ...setFilters(search, undefined),
    ];
    return (
      <EmptyState title="No runs match these filters">
        {set.length > 1 && <p>Without one of them:</p>}
        <Group gap={8} justify="center" mt={8}>
          {set.map((filter) => (
            <Drop key={filter.name} search={withoutFilter(search, filter.name)} label={filter.label} go={go} />
          ))}
          {set.length > 1 && (
            <Button variant="subtle" color="gray" onClick={() => go({})}>
              Clear all
            </Button>
          )}
        </Group>
        {search.q && <SearchInstead typed={search.q} />}
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No runs yet" action={<Button onClick={() => openNewRun({})}>New run</Button>}>
      Or start one in a terminal with <code>li agent script "@say hello"</code>; it appears here.
    </EmptyState>
  );
}

/** The list filters by names; messages and files have their own search. */
function SearchInstead({ typed }: { typed: string }) {
  const file = filePath(typed);
  return (
    <p>
      <TextLink to="/search" search={file ? { file } : { q: typed }}>
        {file ? `Runs that touched ${file}` : `Search messages for “${typed}”`}
      </TextLink>
    </p>
  );
}

/** A button that drops one filter, with the number of runs that would be there. */
function Drop({ search, label, go }: { search: RunsSearch; label: string; go: (search: RunsSearch) => void }) {
  const sums = useQuery(totals(withoutOrder(apiFilters(search)))).data;
  const runs = sums === undefined ? "" : sums.more ? `: ${compact(sums.runs)}+ runs` : `: ${plural(sums.runs, "run")}`;
  return (
    <Button variant="default" disabled={sums?.runs === 0} onClick={() => go(search)}>
      Drop {label}
      {runs}
    </Button>
  );
}
