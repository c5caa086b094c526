import { createRoute } from "@tanstack/react-router";
import { text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const showRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/shows/$topic",
  /** The play whose row is open. */
  validateSearch: (raw: Record<string, unknown>) => {
    const play = text(raw, "play");
    return play === undefined ? {} : { play };
  },
  component: lazyPage(() => import("./page"), "ShowPage"),
});
