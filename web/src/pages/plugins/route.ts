import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/lazy-page";
import { rootRoute } from "@/ui/root";

export const pluginsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/plugins",
  component: lazyPage(() => import("./page"), "PluginsPage"),
});
