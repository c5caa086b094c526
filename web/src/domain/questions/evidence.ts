// Reads the evidence of a question: the command, the diffs, the words and everything else. Agents control it, so no
// shape is trusted.
import { diffLines } from "../text/line-diff";
import { type PatchLine, parsePatch } from "../text/patch";
import { isRecord, toText } from "../transcript/message-entry";
import { type Check, readChecks } from "./checks";

export interface FileDiff {
  path: string;
  lines: PatchLine[];
}

export interface Evidence {
  /** The question of a person's gate. */
  question: string | undefined;
  tool: string | undefined;
  command: string | undefined;
  cwd: string | undefined;
  /** Markdown of the agent, or of the one who asks. */
  words: string[];
  diffs: FileDiff[];
  /** Results of the gates of a play. */
  checks: Check[];
  /** Changes that are held back, problems, and other lists of sentences. */
  lists: { name: string; lines: string[] }[];
  /** Files that a play changed. */
  files: { path: string; added: number | null; removed: number | null }[];
  /** Arguments and facts that have no form of their own. */
  fields: { name: string; text: string }[];
  /** The rules that "always" would write. */
  rules: string[];
  arguments: Record<string, unknown>;
}

const WORDS = ["text", "question", "why", "description", "message", "reason", "feedback"];
const LISTS: Record<string, string> = { held: "Changes that are held back", problems: "Problems" };
const FILE_LISTS: Record<string, string> = { conflict: "Conflicting files", left_out: "Files that are in no commit" };
// Names for programs, or shown elsewhere in the card.
const INTERNAL = ["arguments", "call_id", "options", "subject", "session_id", "head", "base"];

/** Whether a part has a form of its own; every other one is a field, so that nothing is left out. */
function hasForm(name: string, value: unknown): boolean {
  if (INTERNAL.includes(name) || name.startsWith("_")) return true;
  if (WORDS.includes(name) && typeof value === "string") return true;
  if (name in LISTS) return isTexts(value) && value.length > 0;
  if (name in FILE_LISTS) return pathsOf(value).length > 0;
  if (name === "tool" || name === "cwd") return typeof value === "string";
  if (name === "command" || name === "cmd") return commandOf({ command: value }) !== undefined;
  if (name === "suggestions") return Array.isArray(value);
  if (name === "changes" && isRecord(value)) return true;
  if (name === "diff" && typeof value === "string") return true;
  const isKnown = ["checks", "files", "feedback", "diff", "diffs", "changes"].includes(name);
  return isKnown && Array.isArray(value) && value.every(isRecord);
}

export function readEvidence(evidence: Record<string, unknown>, title: string): Evidence {
  const given = evidence.arguments;
  const args = isRecord(given) ? given : {};
  const command = commandOf(args) ?? commandOf(evidence);
  const fromArguments = diffsOf(args);
  const diffs = [...fromArguments.diffs, ...evidenceDiffs(evidence)];
  const used = new Set([...fromArguments.used, "command", "cmd", "description"]);
  const words = [...WORDS.map((name) => evidence[name]), args.description, ...earlierFeedback(evidence)];
  const lists = Object.entries(LISTS).flatMap(([name, label]) => {
    const lines = evidence[name];
    return isTexts(lines) && lines.length > 0 ? [{ name: label, lines }] : [];
  });
  for (const [name, label] of Object.entries(FILE_LISTS)) {
    const paths = pathsOf(evidence[name]);
    if (paths.length > 0) lists.push({ name: label, lines: paths });
  }
  return {
    question: textOf(evidence.question),
    tool: textOf(evidence.tool),
    command,
    cwd: textOf(evidence.cwd) ?? textOf(args.cwd),
    words: [...new Set(words.filter((value) => typeof value === "string" && value.trim() !== ""))]
      .map(String)
      .filter((text) => !title.includes(text.trim())),
    diffs,
    checks: readChecks(evidence.checks),
    lists,
    files: records(evidence.files).map(fileOf),
    fields: [
      ...(given === undefined || isRecord(given) ? [] : [{ name: "arguments", text: toText(given) }]),
      ...fieldsOf(args, (name) => used.has(name) || (name === "cwd" && textOf(args.cwd) !== undefined)),
      ...fieldsOf(evidence, hasForm),
    ],
    rules: (Array.isArray(evidence.suggestions) ? evidence.suggestions : []).map(ruleText),
    arguments: args,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fieldsOf(
  record: Record<string, unknown>,
  isHidden: (name: string, value: unknown) => boolean,
): Evidence["fields"] {
  return Object.entries(record)
    .filter(([name, value]) => !isHidden(name, value) && value !== null && value !== "")
    .map(([name, value]) => ({ name, text: fieldText(value) }));
}

/** A list of texts as lines, and so a flat record. */
function fieldText(value: unknown): string {
  if (typeof value === "boolean") return String(value);
  if (isTexts(value)) return value.join("\n");
  const entries = isRecord(value) ? Object.entries(value).filter(([, entry]) => entry !== null) : [];
  const isFlat = entries.length > 0 && entries.every(([, entry]) => typeof entry !== "object");
  return isFlat ? entries.map(([name, entry]) => `${name}: ${String(entry)}`).join("\n") : toText(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

/** The files of a conflict, or a list of files with their reasons. */
function pathsOf(value: unknown): string[] {
  if (isRecord(value)) return isTexts(value.files) ? value.files : [];
  return records(value).map(({ path, why }) => [path, why].filter(Boolean).map(toText).join(": "));
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A binary file has no lines. */
function fileOf({ path, additions, deletions }: Record<string, unknown>): Evidence["files"][number] {
  const count = (value: unknown): number | null => (typeof value === "number" ? value : null);
  return { path: toText(path), added: count(additions), removed: count(deletions) };
}

/** What earlier attempts of a play were told; the checks of the current one are listed. */
function earlierFeedback({ feedback, checks, subject }: Record<string, unknown>): string[] {
  const current = isRecord(subject) && records(checks).length > 0 ? subject.attempt : undefined;
  const earlier = records(feedback).filter(({ attempt }) => attempt !== current);
  return earlier.map(({ attempt, feedback }) => `Attempt ${toText(attempt)}: ${toText(feedback)}`);
}

/** The command line, without the shell that runs it. */
function commandOf({ command, cmd }: Record<string, unknown>): string | undefined {
  const value = command ?? cmd;
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || !value.every((word) => typeof word === "string")) return undefined;
  const [shell = "", flag = "", script] = value as string[];
  const isScript = value.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isScript ? script : value.join(" ");
}

/** The diffs of an editing tool, and the arguments that they show. */
function diffsOf(args: Record<string, unknown>): { diffs: FileDiff[]; used: string[] } {
  const path = textOf(args.file_path) ?? textOf(args.path) ?? textOf(args.notebook_path) ?? "";
  const paths = ["file_path", "path", "notebook_path"];
  if (Array.isArray(args.edits) && args.edits.every(isRecord)) {
    const lines = args.edits.flatMap((edit) => [
      { kind: "hunk" as const, text: "@@" },
      ...diffLines(toText(edit.old_string), toText(edit.new_string)),
    ]);
    return { diffs: [{ path, lines }], used: [...paths, "edits"] };
  }
  if (typeof args.new_string === "string") {
    const lines = diffLines(textOf(args.old_string) ?? null, args.new_string);
    return { diffs: [{ path, lines }], used: [...paths, "old_string", "new_string"] };
  }
  if (path !== "" && typeof args.content === "string")
    return { diffs: [{ path, lines: diffLines(null, args.content) }], used: [...paths, "content"] };
  for (const name of ["patch", "input", "diff"]) {
    const lines = patchLines(args[name]);
    if (lines) return { diffs: [{ path, lines }], used: [...paths, name] };
  }
  return { diffs: [], used: [] };
}

function evidenceDiffs({ diff, diffs, changes }: Record<string, unknown>): FileDiff[] {
  const listed = [diff, diffs, changes].flatMap((value) => (Array.isArray(value) ? value : []));
  const byPath = isRecord(changes)
    ? Object.entries(changes).map(([path, change]) => ({ path, ...(isRecord(change) ? change : {}) }))
    : [];
  const whole = typeof diff === "string" && diff.trim() !== "" ? [{ path: "", lines: parsePatch(diff) }] : [];
  return [...whole, ...[...listed, ...byPath].filter(isRecord).map(fileDiff)];
}

function fileDiff(change: Record<string, unknown>): FileDiff {
  const path = textOf(change.path) ?? "";
  const patch = textOf(change.unified_diff) ?? textOf(change.diff) ?? textOf(change.patch);
  if (patch !== undefined) return { path, lines: patchLines(patch) ?? diffLines(null, patch) };
  const old = change.old ?? change.oldText ?? change.old_text ?? null;
  const current = change.new ?? change.newText ?? change.new_text ?? change.content ?? "";
  return { path, lines: diffLines(old === null ? null : toText(old), toText(current)) };
}

/** The lines of a git patch or of `apply_patch`; undefined for a text that is neither. */
function patchLines(value: unknown): PatchLine[] | undefined {
  if (typeof value !== "string") return undefined;
  if (/^(diff --git |--- |@@)/m.test(value) && !value.startsWith("***")) return parsePatch(value);
  if (!value.startsWith("*** Begin Patch")) return undefined;
  return value
    .split("\n")
    .filter((text) => !/^\*\*\* (Begin|End) (Patch|of File)/.test(text) && text !== "")
    .map((text) => ({ kind: APPLY_PATCH_KINDS[text.charAt(0)] ?? "note", text }));
}

const APPLY_PATCH_KINDS: Record<string, PatchLine["kind"]> = {
  "*": "file",
  "@": "hunk",
  "+": "add",
  "-": "remove",
  " ": "same",
};

/** A rule as its program writes it, such as `Bash(npm test:*)`; any other value as JSON. */
function ruleText(rule: unknown): string {
  if (typeof rule === "string") return rule;
  if (!isRecord(rule) || !Array.isArray(rule.rules)) return JSON.stringify(rule);
  const rules = rule.rules.filter(isRecord);
  return rules
    .map(({ toolName, ruleContent }) =>
      ruleContent ? `${toText(toolName)}(${toText(ruleContent)})` : toText(toolName),
    )
    .join(", ");
}

/** The arguments with the values that a person has typed: texts as they are, anything else as JSON; throws when it is not. */
export function parseArguments(
  given: Record<string, unknown>,
  typed: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const changed = Object.entries(given).map(([name, value]) => {
    const text = typed[name];
    if (text === undefined || typeof value === "string") return [name, text ?? value];
    try {
      return [name, JSON.parse(text)];
    } catch {
      throw new Error(`${name} is not valid JSON`);
    }
  });
  return Object.fromEntries(changed);
}
