import { EmptyState } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Page } from "@/ui/page";

export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState title="No page at this address" action={<TextLink to="/">Go home</TextLink>}>
        Press Ctrl K or ⌘ K to find anything by its name, or <TextLink to="/search">search all messages</TextLink>.
      </EmptyState>
    </Page>
  );
}
