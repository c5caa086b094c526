import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "@/ui/lazy-page";
import { rootRoute } from "@/ui/root";

export const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/admin",
  component: lazyPage(() => import("./page"), "AdminPage"),
});
