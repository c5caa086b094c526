import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyPage(() => import("./page"), "HomePage"),
});
