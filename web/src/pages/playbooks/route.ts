import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/ui/root";

export const playbooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/playbooks",
  component: lazyRouteComponent(() => import("./page"), "PlaybooksPage"),
});

export const playbookRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/playbooks/$name",
  component: lazyRouteComponent(() => import("./page"), "PlaybookPage"),
});
