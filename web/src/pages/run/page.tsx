import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ApiError } from "@/api/errors";
import { run } from "@/api/runs";
import { Loaded } from "@/ui/feedback/placeholders";
import { Page } from "@/ui/page";
import { BesideRun } from "@/ui/runs/beside-run";
import { RunView } from "./run-view";
import { StartingRun } from "./starting";
import type { Detail } from "./transcript/segments";

export function RunPage() {
  const { runId } = useParams({ from: "/runs/$runId" });
  const detail = useQuery(run(runId));
  return (
    <BesideRun runId={runId} run={detail.data?.session}>
      <RunOrState runId={runId} detail={detail} />
    </BesideRun>
  );
}

function RunOrState({ runId, detail }: { runId: string; detail: UseQueryResult<Detail> }) {
  if (detail.data) return <RunView key={runId} detail={detail.data} />;
  return (
    <Page title="Run">
      {detail.error instanceof ApiError && detail.error.status === 404 ? (
        <StartingRun runId={runId} error={detail.error} />
      ) : (
        <Loaded query={detail} label="Run">
          {() => null}
        </Loaded>
      )}
    </Page>
  );
}
