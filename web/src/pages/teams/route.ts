import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const teamsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/teams",
  component: lazyPage(() => import("./page"), "TeamsPage"),
});

export const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/teams/$teamId",
  component: lazyPage(() => import("./page"), "TeamPage"),
});
