// A tool call in one line: what a person would have typed. Agents control names and arguments, so no shape is trusted.
import { isRecord } from "./message-entry";

/** What a call did; folded calls are counted by it. */
export type ToolKind = "command" | "read" | "edit" | "search" | "web" | "task" | "plan" | "other";

export interface ToolHead {
  kind: ToolKind;
  /** The tool, or `$` for a command. */
  label: string;
  text: string;
}

type Args = Record<string, unknown>;
interface HeadRule {
  kind: ToolKind;
  /** Shown instead of the name of the tool. */
  label?: string;
  text: (args: Args) => string;
}

const shell: HeadRule = { kind: "command", label: "$", text: (args) => commandLine(args) };
const read: HeadRule = { kind: "read", label: "Read", text: (args) => filePath(args) + lineRange(args) };
const edit = (label: string): HeadRule => ({ kind: "edit", label, text: filePath });
const plan: HeadRule = { kind: "plan", label: "Plan", text: (args) => planProgress(planItems(args)) };
const task = (label: string): HeadRule => ({
  kind: "task",
  label,
  text: (args) => first(args, ["description", "prompt", "message", "instructions"]),
});
const search = (label: string): HeadRule => ({ kind: "search", label, text: (args) => quotedPattern(args) });
const webSearch: HeadRule = {
  kind: "web",
  label: "Web search",
  text: (args) => quote(first(args, ["query", "q", "input"]) || first(record(args.action), ["query", "url"])),
};

/** By the lower-case name of the tool: Claude Code, Codex, ACP agents, and the ones of Studio itself. */
const RULES = new Map<string, HeadRule>([
  ...["bash", "shell", "local_shell", "exec", "exec_command", "execute", "run", "run_command", "container.exec"].map(
    (name): [string, HeadRule] => [name, shell],
  ),
  ["bashoutput", { kind: "command", label: "Output of", text: (args) => first(args, ["bash_id", "shell_id"]) }],
  ["killshell", { kind: "command", label: "Kill", text: (args) => first(args, ["shell_id", "bash_id"]) }],
  ["write_stdin", { kind: "command", label: "Type", text: (args) => first(args, ["chars"]) }],
  ["read", read],
  ["read_file", read],
  ["view_image", { kind: "read", label: "View", text: filePath }],
  ["ls", { kind: "read", label: "List", text: filePath }],
  ["list_dir", { kind: "read", label: "List", text: filePath }],
  ["edit", edit("Edit")],
  ["edit_file", edit("Edit")],
  ["multiedit", edit("Edit")],
  ["notebookedit", edit("Edit")],
  ["write", edit("Write")],
  ["write_file", edit("Write")],
  ["delete", edit("Delete")],
  ["move", edit("Move")],
  ["apply_patch", { kind: "edit", label: "Patch", text: (args) => patchedFiles(args).join(", ") }],
  ["grep", search("Grep")],
  ["glob", search("Glob")],
  ["search", search("Search")],
  ["webfetch", { kind: "web", label: "Fetch", text: hostAndPath }],
  ["fetch", { kind: "web", label: "Fetch", text: hostAndPath }],
  ["websearch", webSearch],
  ["web_search", webSearch],
  ["task", task("Task:")],
  ["agent", task("Task:")],
  ["spawn_agent", task("Task:")],
  ["todowrite", plan],
  ["update_plan", plan],
  ["exitplanmode", { kind: "plan", label: "Plan", text: (args) => firstLine(first(args, ["plan"])) }],
  ["askuserquestion", { kind: "other", label: "Question", text: (args) => firstQuestion(args) }],
  ["skill", { kind: "other", label: "Skill", text: (args) => first(args, ["skill", "command", "name"]) }],
  ["slashcommand", { kind: "other", label: "Command", text: (args) => first(args, ["command"]) }],
]);

/** `title` is what an ACP agent calls the call. */
export function toolHead(tool: string, args: unknown, title?: string): ToolHead {
  const fields = record(args);
  const rule = RULES.get(tool.toLowerCase());
  const text = rule ? firstLine(rule.text(fields)) : "";
  if (rule && text) return { kind: rule.kind, label: rule.label ?? tool, text };
  const described = firstLine(title ?? first(fields, ["title"]));
  const label = rule?.label ?? nameOf(tool);
  if (!described) return { kind: rule?.kind ?? "other", label, text: firstLine(summarize(args)) };
  // "Edit src/main.rs" names the tool itself.
  const isNamed = described.toLowerCase().startsWith(label.toLowerCase());
  return { kind: rule?.kind ?? "other", label: isNamed ? "" : label, text: described };
}

/** "server · tool" for a tool of an MCP server. */
function nameOf(tool: string): string {
  const parts = /^mcp__(.+?)__(.+)$/.exec(tool);
  return parts ? `${parts[1]} · ${parts[2]}` : tool || "tool";
}

/** The rest: the one text that identifies the call, else `name: value` for its short arguments. */
function summarize(args: unknown): string {
  if (typeof args === "string") return args;
  if (!isRecord(args)) return args === undefined || args === null ? "" : JSON.stringify(args);
  const entries = Object.entries(args).filter(([, value]) => value !== null && value !== "");
  const [only] = entries;
  if (entries.length === 1 && only) return shortValue(only[1]);
  return entries.map(([name, value]) => `${name}: ${shortValue(value)}`).join(", ");
}

function shortValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = firstLine(text ?? "");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function commandLine(args: Args): string {
  const command = ["command", "cmd", "input", "script"].map((key) => args[key]).find((value) => value !== undefined);
  if (typeof command === "string") return command;
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return "";
  // Codex wraps the line: bash -lc "…"
  const script = command.at(-1);
  return /(^|\/)(ba|z|da)?sh$/.test(command[0] ?? "") && command.length === 3 && script ? script : command.join(" ");
}

function filePath(args: Args): string {
  const path = first(args, ["file_path", "path", "filePath", "notebook_path", "abs_path", "dir_path", "file"]);
  const [place] = Array.isArray(args.paths) ? args.paths : [];
  return path || (typeof place === "string" ? place : "");
}

/** ":10–40" from an offset and a limit. */
function lineRange({ offset, limit, line }: Args): string {
  const start = typeof offset === "number" ? offset : typeof line === "number" ? line : undefined;
  if (typeof limit !== "number") return start === undefined ? "" : `:${start}`;
  const from = start ?? 1;
  return `:${from}–${from + limit - 1}`;
}

function quotedPattern(args: Args): string {
  const pattern = first(args, ["pattern", "query", "regex", "glob_pattern", "input"]);
  const place = first(args, ["path", "dir_path", "glob", "include", "type"]);
  return pattern && quote(pattern) + (place ? ` in ${place}` : "");
}

function patchedFiles(args: Args): string[] {
  const { changes } = args;
  if (Array.isArray(changes)) return changes.map((change) => first(record(change), ["path"])).filter(Boolean);
  if (isRecord(changes)) return Object.keys(changes);
  const patch = first(args, ["input", "patch", "command"]);
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path ?? "");
}

function hostAndPath(args: Args): string {
  const url = first(args, ["url", "uri"]);
  if (!URL.canParse(url)) return url;
  const { host, pathname, search: query } = new URL(url);
  return host + (pathname === "/" ? "" : pathname) + query;
}

function firstQuestion(args: Args): string {
  const [question] = Array.isArray(args.questions) ? args.questions : [args];
  return first(record(question), ["question", "header"]);
}

export interface PlanItem {
  text: string;
  state: "done" | "active" | "open";
}

/** The items of TodoWrite, update_plan or an ACP plan; undefined for any other call. */
export function planOf(tool: string, args: unknown): PlanItem[] | undefined {
  if (RULES.get(tool.toLowerCase()) !== plan) return undefined;
  const items = planItems(record(args));
  return items.length > 0 ? items : undefined;
}

function planItems(args: Args): PlanItem[] {
  const list = [args.todos, args.plan, args.items].find(Array.isArray) ?? [];
  return list.map(record).map((item) => ({
    text: first(item, ["content", "text", "step"]),
    state:
      item.completed === true || item.status === "completed"
        ? "done"
        : item.status === "in_progress" || item.status === "inProgress"
          ? "active"
          : "open",
  }));
}

function planProgress(items: PlanItem[]): string {
  if (items.length === 0) return "";
  const done = items.filter(({ state }) => state === "done").length;
  const active = items.find(({ state }) => state === "active");
  return `${done} of ${items.length} done${active ? `: ${active.text}` : ""}`;
}

const COUNTED: [ToolKind, string, string][] = [
  ["edit", "edit", "edits"],
  ["read", "read", "reads"],
  ["command", "command", "commands"],
  ["search", "search", "searches"],
  ["web", "web request", "web requests"],
  ["task", "task", "tasks"],
  ["plan", "plan update", "plan updates"],
  ["other", "other", "others"],
];

/** "2 edits, 1 read, 1 command". */
export function countKinds(kinds: readonly ToolKind[]): string {
  return COUNTED.map(([kind, one, many]) => [kinds.filter((each) => each === kind).length, one, many] as const)
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
    .join(", ");
}

function record(value: unknown): Args {
  return isRecord(value) ? value : {};
}

/** The first of these arguments that is a text. */
function first(args: Args, names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof value === "string" && value) return value;
  }
  return "";
}

function firstLine(text: string): string {
  const trimmed = text.trim().slice(0, 2000);
  const end = trimmed.indexOf("\n");
  return end < 0 ? trimmed : `${trimmed.slice(0, end).trimEnd()} …`;
}

function quote(text: string): string {
  return text && `"${text}"`;
}
