// Agents and playbooks are files with a version history; they share their pages.
import { createRoute } from "@tanstack/react-router";
import { oneOf, text } from "@/domain/search-params";
import { lazyPage } from "@/ui/routing/lazy-page";
import { rootRoute } from "@/ui/routing/root-route";
import { preloadMarkdown } from "@/ui/text/markdown";

const list = lazyPage(() => import("./list-page"), "DefinitionsPage");
const one = lazyPage(async () => {
  const [page] = await Promise.all([import("./page"), preloadMarkdown()]);
  return page;
}, "DefinitionPage");

const inList = (raw: Record<string, unknown>) => {
  const q = text(raw, "q");
  return q === undefined ? {} : { q };
};
/** `view` opens the editor or the version history; without it the page shows the text. */
const inOne = (raw: Record<string, unknown>) => {
  const view = oneOf(raw, "view", ["edit", "history"] as const);
  return view === undefined ? {} : { view };
};

const parent = { getParentRoute: () => rootRoute };
export const agentsRoute = createRoute({
  ...parent,
  path: "/agents",
  validateSearch: inList,
  component: list,
});
export const agentRoute = createRoute({
  ...parent,
  path: "/agents/$name",
  validateSearch: inOne,
  component: one,
});
export const playbooksRoute = createRoute({
  ...parent,
  path: "/playbooks",
  validateSearch: inList,
  component: list,
});
export const playbookRoute = createRoute({
  ...parent,
  path: "/playbooks/$name",
  validateSearch: inOne,
  component: one,
});
