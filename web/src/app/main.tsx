// The start: listen first, then draw. What the page needs from the first moment on is loaded here, and nothing else.
import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./theme.css";
import { createRoot } from "react-dom/client";
import { startLive } from "@/api/live";
import { createQueries } from "@/api/query-client";
import { startKeys } from "@/ui/keyboard/shortcuts";
import { App } from "./app";
import { createAppRouter } from "./router";

// Longer than this nobody waits for a page; whatever happened meanwhile is fetched when the line stands.
const PATIENCE_MS = 400;

const queries = createQueries();
const router = createAppRouter(queries);
startKeys(document);

const standing = startLive(queries);
// Its files are fetched meanwhile; what it shows is asked for when somebody listens for changes of it.
for (const { routeId } of router.matchRoutes(router.latestLocation)) {
  const route = router.routesById[routeId as keyof typeof router.routesById];
  void router.loadRouteChunk(route)?.catch(() => {});
}
await Promise.race([standing, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);

const place = document.getElementById("root");
if (place) createRoot(place).render(<App router={router} queries={queries} />);
