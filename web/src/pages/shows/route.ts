import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/lazy-page";
import { rootRoute } from "@/ui/root";

export const showsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/shows",
  component: lazyPage(() => import("./page"), "ShowsPage"),
});
