import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const pluginsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/plugins",
  component: lazyPage(() => import("./page"), "PluginsPage"),
});
