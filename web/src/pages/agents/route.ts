import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "@/ui/root";

export const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents",
  component: lazyRouteComponent(() => import("./page"), "AgentsPage"),
});

export const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/agents/$name",
  component: lazyRouteComponent(() => import("./page"), "AgentPage"),
});
