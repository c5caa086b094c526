// An address that leads nowhere.

import { EmptyState } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Page } from "@/ui/page";

export function NotFound() {
  return (
    <Page title="Nothing here">
      <EmptyState title="There is no page at this address" action={<TextLink to="/">Go home</TextLink>}>
        It may have been typed by hand, or come from another version.
      </EmptyState>
    </Page>
  );
}
