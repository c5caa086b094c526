// All routes. The code of a page loads when the user goes there.
import type { QueryClient } from "@tanstack/react-query";
import { createRouter } from "@tanstack/react-router";
import { adminRoute } from "@/pages/admin/route";
import { compareRoute } from "@/pages/compare/route";
import { agentRoute, agentsRoute, playbookRoute, playbooksRoute } from "@/pages/definitions/route";
import { homeRoute } from "@/pages/home/route";
import { pluginsRoute } from "@/pages/plugins/route";
import { runRoute } from "@/pages/run/route";
import { runsRoute } from "@/pages/runs/route";
import { searchRoute } from "@/pages/search/route";
import { showRoute } from "@/pages/show/route";
import { showsRoute } from "@/pages/shows/route";
import { teamRoute, teamsRoute } from "@/pages/teams/route";
import { usageRoute } from "@/pages/usage/route";
import { workersRoute } from "@/pages/workers/route";
import { RouteError } from "@/ui/feedback/offline-page";
import { rootRoute } from "@/ui/routing/root-route";
import { NotFound } from "./not-found";
import { Shell } from "./shell";

const routes = rootRoute.addChildren([
  homeRoute,
  runsRoute,
  runRoute,
  compareRoute,
  showsRoute,
  showRoute,
  teamsRoute,
  teamRoute,
  workersRoute,
  agentsRoute,
  agentRoute,
  playbooksRoute,
  playbookRoute,
  pluginsRoute,
  adminRoute,
  searchRoute,
  usageRoute,
]);

rootRoute.update({ component: Shell, notFoundComponent: NotFound });

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queries },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 300,
    scrollRestoration: true,
    defaultErrorComponent: RouteError,
  });
}

export type AppRouter = ReturnType<typeof createAppRouter>;

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }
}
