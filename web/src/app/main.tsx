// Entry point: subscribe to changes, then render. Imports only what the first page needs.
import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./theme.css";
import { createRoot } from "react-dom/client";
import { startLive } from "@/api/live/feed";
import { createQueryClient } from "@/api/query-client";
import { followOtherTabs } from "@/api/sign-in/auth";
import { signInByLink } from "@/api/sign-in/sign-in";
import { startShortcuts } from "@/ui/keyboard/shortcuts";
import { App } from "./app";
import { createAppRouter } from "./router";

// Render without a subscription after this time; changes in between are fetched when it is established.
const SUBSCRIBE_TIMEOUT_MS = 400;

await signInByLink();
followOtherTabs();
const queries = createQueryClient();
const router = createAppRouter(queries);
startShortcuts(document);

const subscribed = startLive(queries);
// Load the code of the page meanwhile; its data is fetched after the subscription.
for (const { routeId } of router.matchRoutes(router.latestLocation)) {
  const route = router.routesById[routeId as keyof typeof router.routesById];
  void router.loadRouteChunk(route)?.catch(() => {});
}
await Promise.race([subscribed, new Promise((resolve) => setTimeout(resolve, SUBSCRIBE_TIMEOUT_MS))]);

// Starts the requests of the page before React renders, which takes about as long as the responses.
void router.load();
const root = document.getElementById("root");
if (root) createRoot(root).render(<App router={router} queries={queries} />);
