// The two kinds of definitions, and the differences between their pages.
import { useMatch } from "@tanstack/react-router";
import type { Kind } from "@/api/definitions";

interface KindInfo {
  kind: Kind;
  title: string;
  one: string;
  list: "/agents" | "/playbooks";
  page: "/agents/$name" | "/playbooks/$name";
  /** The filter of the run list. */
  filter: "agent" | "playbook";
  language: "markdown" | "yaml";
  template: (name: string) => string;
}

export const KINDS: Record<Kind, KindInfo> = {
  agent: {
    kind: "agent",
    title: "Agents",
    one: "agent",
    list: "/agents",
    page: "/agents/$name",
    filter: "agent",
    language: "markdown",
    template: (name) => `---\nmodel: claude\neffort: medium\n---\n# ${name}\n\nYou are …\n`,
  },
  playbook: {
    kind: "playbook",
    title: "Playbooks",
    one: "playbook",
    list: "/playbooks",
    page: "/playbooks/$name",
    filter: "playbook",
    language: "yaml",
    template: (name) => `name: ${name}\ndescription: Describe its purpose\nprompt: |\n  Look at {input}.\n`,
  },
};

/** The kind of this page, from its route: while the page is being left, the address already is another one. */
export function useKind(): KindInfo {
  const route: string = useMatch({ strict: false }).routeId;
  return route.startsWith("/playbooks") ? KINDS.playbook : KINDS.agent;
}
