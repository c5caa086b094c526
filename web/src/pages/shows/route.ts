import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const showsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/shows",
  component: lazyPage(() => import("./page"), "ShowsPage"),
});
