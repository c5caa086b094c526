import { createRoute } from "@tanstack/react-router";
import { oneOf, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const MODES = ["words", "semantic", "hybrid"] as const;
export const ORDERS = ["newest", "best"] as const;
export const SPANS: Record<string, number> = { "24h": 86400, "7d": 7 * 86400, "30d": 30 * 86400 };

/** What is looked for and how; the same address finds the same. */
function validateSearch(raw: Record<string, unknown>) {
  const params = {
    q: text(raw, "q"),
    mode: oneOf(raw, "mode", MODES),
    order: oneOf(raw, "order", ORDERS),
    project: text(raw, "project"),
    run: text(raw, "run"),
    within: oneOf(raw, "within", Object.keys(SPANS)),
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Partial<
    typeof params
  >;
}

export type SearchSearch = ReturnType<typeof validateSearch>;

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  validateSearch,
  component: lazyPage(() => import("./page"), "SearchPage"),
});
