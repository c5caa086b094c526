import { createRoute } from "@tanstack/react-router";
import { validateSearch } from "@/api/run-list/search";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch,
  component: lazyPage(() => import("./page"), "RunsPage"),
});
