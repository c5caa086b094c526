import { Page } from "@/ui/page";
import { EmptyState } from "@/ui/states";

export function PluginsPage() {
  return (
    <Page title="Plugins">
      <EmptyState title="This page is being built" />
    </Page>
  );
}
