import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/ui/root";

export const showRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/shows/$topic",
  component: lazyRouteComponent(() => import("./page"), "ShowPage"),
});
