import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/ui/root";

export const teamsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/teams",
  component: lazyRouteComponent(() => import("./page"), "TeamsPage"),
});

export const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/teams/$teamId",
  component: lazyRouteComponent(() => import("./page"), "TeamPage"),
});
