// The start: listen first, then draw. What the page needs from the first moment on is loaded here, and nothing else.
import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./theme.css";
import { createRoot } from "react-dom/client";
import { startLive } from "@/api/live";
import { createQueryClient } from "@/api/query-client";
import { startShortcuts } from "@/ui/keyboard/shortcuts";
import { App } from "./app";
import { createAppRouter } from "./router";

// Longer than this nobody waits for a page; whatever happened meanwhile is fetched when the line stands.
const SUBSCRIBE_TIMEOUT_MS = 400;

const queries = createQueryClient();
const router = createAppRouter(queries);
startShortcuts(document);

const subscribed = startLive(queries);
// Its files are fetched meanwhile; what it shows is asked for when somebody listens for changes of it.
for (const { routeId } of router.matchRoutes(router.latestLocation)) {
  const route = router.routesById[routeId as keyof typeof router.routesById];
  void router.loadRouteChunk(route)?.catch(() => {});
}
await Promise.race([subscribed, new Promise((resolve) => setTimeout(resolve, SUBSCRIBE_TIMEOUT_MS))]);

const root = document.getElementById("root");
if (root) createRoot(root).render(<App router={router} queries={queries} />);
