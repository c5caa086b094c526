// Providers around the routes: theme, query cache, notifications.
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import type { AppRouter } from "./router";
import { theme, variables } from "./theme";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
// Used by the part of Mantine that locks scrolling behind a dialog.
setNonce(nonce);

// public/assets/scheme-1.js uses the same key.
const colorSchemeManager = localStorageColorSchemeManager({ key: "lion-colour-scheme" });

export function App({ router, queries }: { router: AppRouter; queries: QueryClient }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="top-right" limit={4} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
