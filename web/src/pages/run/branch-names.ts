// Names of branches: a sub-agent is named after its task.
import type { Detail } from "./transcript/segments";

type Branch = Detail["branches"][number];
const MAIN = "main";

export function branchName({ id, name }: Pick<Branch, "id" | "name">): string {
  // Imported without the task that started it.
  const unnamed = /^side-(\w+)$/.exec(name ?? "");
  return unnamed ? `Sub-agent ${unnamed[1]}` : (name ?? id.slice(-8));
}

/** The branches of sub-agents: `main` gave them their task, not the user. */
export function subAgents(branches: readonly Branch[]): Set<string> {
  if (!branches.some(({ name }) => name === MAIN)) return new Set();
  return new Set(
    branches.filter(({ name, parent_branch_id }) => name !== MAIN && !parent_branch_id).map(({ id }) => id),
  );
}
