import { createRoute } from "@tanstack/react-router";
import { oneOf, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";

export const TABS = ["skills", "agents", "commands", "hooks", "servers", "readme"] as const;
export type PluginTab = (typeof TABS)[number];

const ROOTS = ["home", "marketplace", "claude", "project"] as const;

/** `plugin` opens one plugin, `tab` its tab, `item` one of its skills, agents or commands. */
const search = (raw: Record<string, unknown>) => {
  const values = {
    q: text(raw, "q"),
    root: oneOf(raw, "root", ROOTS),
    plugin: text(raw, "plugin"),
    tab: oneOf(raw, "tab", TABS),
    item: text(raw, "item"),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<"q" | "plugin" | "item" | "root", string> & { tab: PluginTab }
  >;
};

export const pluginsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/plugins",
  validateSearch: search,
  component: lazyPage(() => import("./page"), "PluginsPage"),
});
