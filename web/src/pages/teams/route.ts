import { createRoute } from "@tanstack/react-router";
import { text } from "@/domain/search-params";
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
  /** The member whose inbox is shown, and the message that the address points at. */
  validateSearch: (raw: Record<string, unknown>) => {
    const [member, m] = [text(raw, "member"), text(raw, "m")];
    return { ...(member === undefined ? {} : { member }), ...(m === undefined ? {} : { m }) };
  },
  component: lazyPage(() => import("./page"), "TeamPage"),
});
