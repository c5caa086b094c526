// A run that was started here and is not recorded yet, or ended before it was.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { keys } from "@/api/keys";
import { launch } from "@/api/launches";
import { fetchRun } from "@/api/runs";
import { EmptyState, ErrorState } from "@/ui/feedback/placeholders";
import { openNewRun } from "@/ui/new-run/open-new-run";
import { CodeBlock } from "@/ui/text/code-block";

export function StartingRun({ runId, error }: { runId: string; error: unknown }) {
  const query = useQuery({ ...launch(runId, true), retry: false });
  const queries = useQueryClient();
  const { dataUpdatedAt } = query;
  useEffect(() => {
    if (dataUpdatedAt === 0) return;
    // Not by the query of the page: a failed refetch would replace what is shown here for a moment.
    fetchRun(runId).then(
      (detail) => queries.setQueryData(keys.run(runId), detail),
      () => {},
    );
  }, [queries, runId, dataUpdatedAt]);
  if (query.error)
    return <ErrorState error={error} label="Run" missing={{ what: "run", name: runId, list: "/runs" }} />;
  if (!query.data || query.data.launch.running || !query.data.launch.exit_code)
    return (
      <EmptyState title="Starting…">{query.data && `The process of ${query.data.launch.target} starts.`}</EmptyState>
    );
  const { target } = query.data.launch;
  return (
    <EmptyState
      title="The run did not start"
      action={<Button onClick={() => openNewRun(target ? { target } : {})}>New run</Button>}
    >
      <CodeBlock text={query.data.output.trim() || `Exit code ${query.data.launch.exit_code}`} label="Output" />
    </EmptyState>
  );
}
