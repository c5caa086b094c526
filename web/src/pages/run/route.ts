import { createRoute } from "@tanstack/react-router";
import { messageChunk } from "@/api/messages";
import { questionsOf } from "@/api/questions";
import { run } from "@/api/runs";
import { number, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";
import { preloadMarkdown } from "@/ui/text/markdown";

interface RunSearch {
  /** The current message: its number in the run, or its id. */
  m?: number | string;
  find?: string;
  /** The reading modes, separated by commas. */
  show?: string;
  branch?: string;
}

function validateSearch(raw: Record<string, unknown>): RunSearch {
  const ord = number(raw, "m");
  const m = ord !== undefined && Number.isSafeInteger(ord) && ord >= 0 ? ord : text(raw, "m");
  const more = Object.entries({ find: text(raw, "find"), show: text(raw, "show"), branch: text(raw, "branch") });
  return { ...(m === undefined ? {} : { m }), ...Object.fromEntries(more.filter(([, value]) => value !== undefined)) };
}

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  validateSearch,
  // Starts the requests while the code of the page is still loading.
  loader: ({ context: { queries }, params: { runId }, location }) => {
    void preloadMarkdown();
    void queries.prefetchQuery(run(runId));
    void queries.prefetchQuery(questionsOf({ session: runId }));
    if ("m" in location.search) return;
    void queries.prefetchQuery(messageChunk({ of: "session", id: runId }, 0));
  },
  component: lazyPage(() => import("./page"), "RunPage"),
});
