import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/admin",
  component: lazyPage(() => import("./page"), "AdminPage"),
});
