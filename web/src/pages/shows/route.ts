import { createRoute } from "@tanstack/react-router";
import { oneOf, text } from "@/domain/search-params";
import type { ListFilters, Sort } from "@/domain/shows/show-list";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

const SORTS: readonly Sort[] = ["updated", "topic", "progress", "cost", "tokens"];

export const showsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/shows",
  validateSearch: (raw: Record<string, unknown>): ListFilters => {
    const filters = { q: text(raw, "q"), state: text(raw, "state"), sort: oneOf(raw, "sort", SORTS) };
    return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  },
  component: lazyPage(() => import("./page"), "ShowsPage"),
});
