import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function AdminPage() {
  return (
    <Page title="Admin">
      <EmptyState title="This page is being built" />
    </Page>
  );
}
