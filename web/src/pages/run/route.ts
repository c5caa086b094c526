import { createRoute } from "@tanstack/react-router";
import { messageChunk } from "@/api/messages";
import { run } from "@/api/runs";
import { number, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";
import { preloadMarkdown } from "@/ui/text/markdown";

/** `m` is the current message: its number in the run, or its id. */
function validateSearch(raw: Record<string, unknown>): { m?: number | string; find?: string } {
  const ord = number(raw, "m");
  const m = ord !== undefined && Number.isSafeInteger(ord) && ord >= 0 ? ord : text(raw, "m");
  const find = text(raw, "find");
  return { ...(m === undefined ? {} : { m }), ...(find === undefined ? {} : { find }) };
}

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  validateSearch,
  // Starts the requests while the code of the page is still loading.
  loader: ({ context: { queries }, params: { runId }, location }) => {
    preloadMarkdown();
    void queries.prefetchQuery(run(runId));
    if ("m" in location.search) return;
    void queries.prefetchQuery(messageChunk({ of: "session", id: runId }, 0));
  },
  component: lazyPage(() => import("./page"), "RunPage"),
});
