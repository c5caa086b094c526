import { createRoute } from "@tanstack/react-router";
import { keysOf, TIME_SPANS } from "@/domain/runs/filters";
import { oneOf, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const MODES = { words: "Keyword", semantic: "Semantic", hybrid: "Hybrid" } as const;
export const ORDERS = { newest: "Last recorded first", best: "Best match first" } as const;

/** The search in the address. */
function validateSearch(raw: Record<string, unknown>) {
  const params = {
    q: text(raw, "q"),
    mode: oneOf(raw, "mode", keysOf(MODES)),
    order: oneOf(raw, "order", keysOf(ORDERS)),
    role: text(raw, "role"),
    tool: text(raw, "tool"),
    file: text(raw, "file"),
    agent: text(raw, "agent"),
    status: text(raw, "status"),
    project: text(raw, "project"),
    run: text(raw, "run"),
    within: oneOf(raw, "within", keysOf(TIME_SPANS)),
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Partial<
    typeof params
  >;
}

export type SearchParams = ReturnType<typeof validateSearch>;

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  validateSearch,
  component: lazyPage(() => import("./page"), "SearchPage"),
});
