// The error page of a route. When the code of a page cannot be loaded because Studio is down, it polls and reloads.
import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useEffect } from "react";
import { Page } from "../page";
import { isChunkLoadError } from "../routing/lazy-page";
import { EmptyState, ErrorState } from "./placeholders";

const POLL_MS = 1500;
const RELOADED_AT = "lion-reloaded-at";
// A file that is missing although Studio responds must not cause endless reloads.
const MIN_RELOAD_INTERVAL_MS = 10_000;

export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  return isChunkLoadError(error) ? <OfflinePage /> : <ErrorState error={error} retry={reset} />;
}

function OfflinePage() {
  useEffect(() => {
    const timer = setInterval(() => void reloadWhenBack(), POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page title="Studio is not running">
      <div role="alert">
        <EmptyState
          title="Could not load this page"
          icon={<IconPlugConnectedX size={22} stroke={1.7} />}
          action={
            <Button variant="default" onClick={() => location.reload()}>
              Try again
            </Button>
          }
        >
          Start <code>li studio</code>; the page reloads when Studio is back.
        </EmptyState>
      </div>
    </Page>
  );
}

/** The browser remembers a failed module for the lifetime of the document, so only a reload fetches it again. */
async function reloadWhenBack(): Promise<void> {
  const response = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  const reloadedAt = Number(sessionStorage.getItem(RELOADED_AT));
  if (!response?.ok || Date.now() - reloadedAt < MIN_RELOAD_INTERVAL_MS) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}
