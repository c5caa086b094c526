import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/ui/root";

export const pluginsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/plugins",
  component: lazyRouteComponent(() => import("./page"), "PluginsPage"),
});
