import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/lazy-page";
import { rootRoute } from "@/ui/root";

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
