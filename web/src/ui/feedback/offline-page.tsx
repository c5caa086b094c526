// A page that could not be fetched because Studio is away: it says so, asks again, and comes by itself.
import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useEffect } from "react";
import { Page } from "../page";
import { areFilesMissing } from "../routing/lazy-page";
import { EmptyState, ErrorState } from "./placeholders";

const ASK_MS = 1500;
const RELOADED_AT = "lion-reloaded-at";
// A file that is missing although Studio answers must not make the page reload without end.
const RELOAD_MS = 10_000;

/** What a route shows instead of its page. */
export function RouteError({ error, reset }: { error: unknown; reset: () => void }) {
  return areFilesMissing(error) ? <Away /> : <ErrorState error={error} retry={reset} />;
}

function Away() {
  useEffect(() => {
    const timer = setInterval(() => void comeBack(), ASK_MS);
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
async function comeBack(): Promise<void> {
  const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  const before = Number(sessionStorage.getItem(RELOADED_AT));
  if (!answer?.ok || Date.now() - before < RELOAD_MS) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}
