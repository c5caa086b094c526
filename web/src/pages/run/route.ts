import { createRoute } from "@tanstack/react-router";
import { run } from "@/api/runs";
import { messagePiece } from "@/api/transcript";
import { number, text } from "@/domain/params";
import { lazyPage } from "@/ui/lazy-page";
import { prepareMarkdown } from "@/ui/markdown";
import { rootRoute } from "@/ui/root";

/** `m` is the message that the address means: its number in the run, or its id. */
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
  // Asked for while the page itself is still being loaded.
  loader: ({ context: { queries }, params: { runId }, location }) => {
    prepareMarkdown();
    void queries.prefetchQuery(run(runId));
    if ("m" in location.search) return;
    void queries.prefetchQuery(messagePiece({ of: "session", id: runId }, 0));
  },
  component: lazyPage(() => import("./page"), "RunPage"),
});
