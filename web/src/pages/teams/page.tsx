import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function TeamsPage() {
  return (
    <Page title="Teams">
      <EmptyState title="This page is being built" />
    </Page>
  );
}

export function TeamPage() {
  return <TeamsPage />;
}
