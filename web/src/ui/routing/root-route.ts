// The root route. It is below the pages, because each page adds its route to it; app/ adds the component.
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext } from "@tanstack/react-router";

export interface RouterContext {
  queries: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()();
