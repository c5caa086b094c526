import { createRoute } from "@tanstack/react-router";
import { attention, dashboard, stats } from "@/api/home";
import { openQuestions } from "@/api/questions";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  // Starts the requests while the code of the page is still loading; what stands at the top comes first.
  loader: ({ context: { queries } }) => {
    void queries.prefetchQuery(openQuestions());
    void queries.prefetchQuery(attention());
    void queries.prefetchQuery(stats());
    void queries.prefetchQuery(dashboard());
  },
  component: lazyPage(() => import("./page"), "HomePage"),
});
