// Processes that Studio started: their title, their state, and the page of their result.

export interface Job {
  id: string;
  session_id: string | null;
  verb: string;
  target: string | null;
  options: Record<string, unknown>;
  running: boolean;
  exit_code: number | null;
  progress?: { done: number; total: number } | null | undefined;
}

const IMPORTS: Record<string, string> = {
  claude: "Claude Code history",
  codex: "Codex history",
  runs: "old runs",
  shows: "shows",
  teams: "teams",
};

/** What the process does, as a noun. */
export function jobTitle({ verb, target, options }: Job): string {
  const name = target ?? verb;
  switch (verb) {
    case "mirror":
    case "import":
      return `Import of ${IMPORTS[name] ?? name}`;
    case "plan":
      return `Plan of ${name}`;
    case "demo":
      return "Demo show";
    case "prune":
      return "Prune";
    case "show":
      return `Show ${name}`;
    default:
      return typeof options.name === "string" && options.name ? options.name : name;
  }
}

export function jobState(job: Job): { text: string; tone: "info" | "success" | "danger" } {
  if (!job.running) return job.exit_code ? { text: "failed", tone: "danger" } : { text: "done", tone: "success" };
  const { done = 0, total = 0 } = job.progress ?? {};
  return { text: total > 0 ? `${Math.floor((100 * done) / total)} %` : "running", tone: "info" };
}

/** The page that shows the result of a process that succeeded. */
export function jobPage({ verb, target, session_id }: Job): string {
  if (session_id) return `/runs/${encodeURIComponent(session_id)}`;
  if (verb === "plan" && target) return `/shows/${encodeURIComponent(target)}`;
  if (verb === "demo" || target === "shows") return "/shows";
  if (target === "teams") return "/teams";
  return verb === "prune" ? "/admin" : "/runs";
}
