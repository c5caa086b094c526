import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function AgentsPage() {
  return (
    <Page title="Agents">
      <EmptyState title="This page is being built" />
    </Page>
  );
}

export function AgentPage() {
  return <AgentsPage />;
}
