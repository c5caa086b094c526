import { createRoute } from "@tanstack/react-router";
import { CARD_LABELS, HEALTH_LABELS } from "@/api/runs";
import { keysOf, TIME_SPANS } from "@/domain/runs/filters";
import { number, oneOf, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

/** The filters in the address. */
export function validateSearch(raw: Record<string, unknown>) {
  const params = {
    q: text(raw, "q"),
    card: oneOf(raw, "card", keysOf(CARD_LABELS)),
    status: text(raw, "status"),
    kind: text(raw, "kind"),
    health: oneOf(raw, "health", keysOf(HEALTH_LABELS)),
    source: text(raw, "source"),
    project: text(raw, "project"),
    agent: text(raw, "agent"),
    playbook: text(raw, "playbook"),
    show: text(raw, "show"),
    within: oneOf(raw, "within", keysOf(TIME_SPANS)),
    since: number(raw, "since"),
    until: number(raw, "until"),
  };
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
