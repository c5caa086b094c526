import { createRoute } from "@tanstack/react-router";
import { text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

/** The ids of the two runs. */
function validateSearch(raw: Record<string, unknown>): { a?: string; b?: string } {
  const [a, b] = [text(raw, "a"), text(raw, "b")];
  return { ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) };
}

export const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/compare",
  validateSearch,
  component: lazyPage(() => import("./page"), "ComparePage"),
});
