import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/ui/root";

export const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/admin",
  component: lazyRouteComponent(() => import("./page"), "AdminPage"),
});
