import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/lazy-page";
import { rootRoute } from "@/ui/root";

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: lazyPage(() => import("./page"), "HomePage"),
});
