import { createRoute } from "@tanstack/react-router";
import { number, oneOf, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

/** The range, the measure and the filters in the address. */
export function validateSearch(raw: Record<string, unknown>) {
  const params = {
    range: oneOf(raw, "range", ["24h", "7d", "30d", "90d"]),
    since: number(raw, "since"),
    until: number(raw, "until"),
    measure: oneOf(raw, "measure", ["cost", "tokens", "time", "waiting"]),
    stack: oneOf(raw, "stack", ["model", "project", "agent", "show"]),
    model: text(raw, "model"),
    project: text(raw, "project"),
    agent: text(raw, "agent"),
    show: text(raw, "show"),
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Partial<
    typeof params
  >;
}

export type UsageSearch = ReturnType<typeof validateSearch>;

export const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/usage",
  validateSearch,
  component: lazyPage(() => import("./page"), "UsagePage"),
});
