// Renders with the providers of the app.
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";

export function providers(queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })) {
  return ({ children }: { children: ReactNode }) => (
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <Notifications />
        {children}
      </QueryClientProvider>
    </MantineProvider>
  );
}

export function renderApp(node: ReactNode) {
  return render(node, { wrapper: providers() });
}
