// A page that could not be fetched because Studio is away: it says so, asks again, and comes by itself.
import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useEffect } from "react";
import { Page } from "../page";
import { isChunkLoadError } from "../routing/lazy-page";
import { EmptyState, ErrorState } from "./placeholders";

const POLL_MS = 1500;
const RELOADED_AT = "lion-reloaded-at";
// A file that is missing although Studio answers must not make the page reload without end.
const MIN_RELOAD_INTERVAL_MS = 10_000;

/** What a route shows instead of its page. */
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
          title="This page could not be fetched"
          icon={<IconPlugConnectedX size={22} stroke={1.7} />}
          action={
            <Button variant="default" onClick={() => location.reload()}>
              Try again
            </Button>
          }
        >
          Start <code>li studio</code>; the page comes by itself when it is back.
        </EmptyState>
      </div>
    </Page>
  );
}

/** The browser keeps a file that failed for as long as the document lives, so only a reload fetches it again. */
async function reloadWhenBack(): Promise<void> {
  const response = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  const before = Number(sessionStorage.getItem(RELOADED_AT));
  if (!response?.ok || Date.now() - before < MIN_RELOAD_INTERVAL_MS) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}
