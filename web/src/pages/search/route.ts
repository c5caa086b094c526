import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { text } from "@/domain/params";
import { rootRoute } from "@/ui/root";

export const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/search",
  validateSearch: (raw: Record<string, unknown>): { q?: string } => {
    const q = text(raw, "q");
    return q === undefined ? {} : { q };
  },
  component: lazyRouteComponent(() => import("./page"), "SearchPage"),
});
