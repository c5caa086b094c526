import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/ui/root";

export const showsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/shows",
  component: lazyRouteComponent(() => import("./page"), "ShowsPage"),
});
