import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { run } from "@/api/runs";
import { Loaded } from "@/ui/feedback/placeholders";
import { Page } from "@/ui/page";
import { RunView } from "./run-view";

export function RunPage() {
  const { runId } = useParams({ from: "/runs/$runId" });
  const detail = useQuery(run(runId));
  if (detail.data) return <RunView key={runId} detail={detail.data} />;
  return (
    <Page title="Run">
      <Loaded query={detail} label="Run">
        {() => null}
      </Loaded>
    </Page>
  );
}
