import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function SearchPage() {
  return (
    <Page title="Search">
      <EmptyState title="This page is being built" />
    </Page>
  );
}
