import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function PlaybooksPage() {
  return (
    <Page title="Playbooks">
      <EmptyState title="This page is being built" />
    </Page>
  );
}

export function PlaybookPage() {
  return <PlaybooksPage />;
}
