import { createRoute } from "@tanstack/react-router";
import { number, oneOf, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

const CARDS = ["running", "failed_24h", "slow", "stale", "needs_review"] as const;

const HEALTHS = [
  "running",
  "waiting",
  "idle",
  "stale",
  "stalled",
  "process_dead",
  "orphaned",
  "unknown",
  "ok",
] as const;

/** What the address of the list says; anybody who opens it sees the same list. */
function validateSearch(raw: Record<string, unknown>) {
  const params = {
    q: text(raw, "q"),
    card: oneOf(raw, "card", CARDS),
    status: text(raw, "status"),
    kind: text(raw, "kind"),
    health: oneOf(raw, "health", HEALTHS),
    source: text(raw, "source"),
    project: text(raw, "project"),
    agent: text(raw, "agent"),
    playbook: text(raw, "playbook"),
    show: text(raw, "show"),
    within: text(raw, "within"),
    since: number(raw, "since"),
    until: number(raw, "until"),
  };
  // A filter that is not set is not in the address.
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Partial<
    typeof params
  >;
}

export type RunsSearch = ReturnType<typeof validateSearch>;

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch,
  component: lazyPage(() => import("./page"), "RunsPage"),
});
