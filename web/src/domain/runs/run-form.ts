// The form of a new run, and the request that it becomes.

export type RunKind = "agent" | "playbook" | "show";
export type PlanSource = "agent" | "template" | "demo";

export interface RunForm {
  kind: RunKind;
  /** The agent or the playbook. */
  target: string;
  prompt: string;
  folder: string;
  /** The agent of a playbook, or the one that drafts the plan of a show. */
  agent: string;
  args: Readonly<Record<string, string>>;
  name: string;
  model: string;
  effort: string;
  permissions: string;
  sandbox: string;
  minutes: string;
  topic: string;
  plan: PlanSource;
  retries: string;
}

export const EMPTY_FORM: RunForm = {
  kind: "agent", target: "", prompt: "", folder: "", agent: "", args: {}, name: "", model: "", effort: "",
  permissions: "", sandbox: "", minutes: "", topic: "", plan: "agent", retries: "",
}; // biome-ignore format: a record of empty fields reads best in few lines

interface AgentChoice {
  name: string;
  provider: string | null;
  problem: string | null;
  needs_model: boolean;
}

/** The agents that can draft a plan: those with a model, which start as they are. */
export function drafters(agents: readonly AgentChoice[]): string[] {
  return agents
    .filter(({ problem, needs_model, provider }) => !problem && !needs_model && provider && !NO_MODEL.has(provider))
    .map(({ name }) => name);
}

const NO_MODEL = new Set(["script", "command"]);

/** Who drafts the plan of a show: the first wanted agent that can; without one, the template is used. */
export function planOf(agents: readonly AgentChoice[], wanted: readonly string[]): Pick<RunForm, "agent" | "plan"> {
  const able = drafters(agents);
  const agent = [...wanted, "claude", "codex", ...able].find((name) => able.includes(name));
  return agent ? { agent, plan: "agent" } : { agent: "", plan: "template" };
}

interface LaunchBody {
  verb: string;
  target: string | null;
  prompt: string;
  options: Record<string, string | number | string[]>;
}

/** The request of a form; fields that are empty are left to the definition. */
export function launchBody(form: RunForm): LaunchBody {
  if (form.kind === "show" && form.plan === "demo") return { verb: "demo", target: "show", prompt: "", options: {} };
  if (form.kind === "show") {
    const agent = form.plan === "agent" ? form.agent : "";
    const options = filled({ cwd: form.folder, goal: form.prompt.trim(), agent });
    return { verb: "plan", target: form.topic.trim(), prompt: "", options };
  }
  const { folder, minutes, name, model, effort, permissions, sandbox, retries } = form;
  const options = filled({
    cwd: folder,
    name: name.trim(),
    model: model.trim(),
    effort,
    permissions,
    sandbox,
    retries,
  });
  if (minutes.trim()) options.timeout = Math.round(Number(minutes) * 60);
  if (form.kind === "agent") return { verb: "agent", target: form.target, prompt: form.prompt, options };
  const args = Object.entries(form.args).filter(([, value]) => value !== "");
  if (args.length > 0) options.arg = args.map(([key, value]) => `${key}=${value}`);
  if (form.agent) options.agent = form.agent;
  return { verb: "play", target: form.target, prompt: form.prompt, options };
}

function filled(values: Record<string, string>): LaunchBody["options"] {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

const TOPIC = /^[a-z0-9][a-z0-9-]*$/;

/** The errors that need no server, by field. */
export function formErrors(form: RunForm, required: readonly string[]): Record<string, string> {
  const errors: Record<string, string> = {};
  if (form.kind === "show" && form.plan === "demo") return errors;
  if (form.kind === "show" && !TOPIC.test(form.topic.trim())) errors.topic = "Use lowercase letters, digits and dashes";
  if (form.kind !== "show" && !form.target)
    errors.target = `Choose ${form.kind === "agent" ? "an agent" : "a playbook"}`;
  if (form.kind === "agent" && !form.prompt.trim()) errors.prompt = "Write what the agent shall do";
  if (form.kind === "show" && form.plan === "agent" && !form.prompt.trim())
    errors.prompt = "Write the goal of the show";
  if (form.kind === "show" && form.plan === "agent" && !form.agent)
    errors.agent = "Choose the agent that drafts the plan";
  if (form.minutes.trim() && !(Number(form.minutes) >= 1)) errors.timeout = "Write a number of minutes";
  for (const name of required) if (!form.args[name]?.trim()) errors[`arg.${name}`] = "Required";
  return errors;
}

interface StoredRequest {
  kind: string;
  target: string | null;
  prompt: string;
  folder: string | null;
  options: Record<string, unknown>;
  args: Record<string, string>;
}

/** The form that repeats a run. */
export function repeatForm(request: StoredRequest, retries: string): Partial<RunForm> {
  const option = (name: string): string => (request.options[name] === undefined ? "" : String(request.options[name]));
  const seconds = Number(request.options.timeout);
  return {
    kind: request.kind === "playbook" ? "playbook" : "agent",
    target: request.target ?? "",
    prompt: request.prompt,
    folder: request.folder ?? "",
    args: request.args,
    agent: option("agent"),
    name: option("name"),
    model: option("model"),
    effort: option("effort"),
    permissions: option("permissions"),
    sandbox: option("sandbox"),
    minutes: seconds > 0 ? String(Math.ceil(seconds / 60)) : "",
    retries,
  };
}
