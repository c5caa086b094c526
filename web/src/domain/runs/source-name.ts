const NAMES: Record<string, string> = {
  live: "Recorded",
  imported_fs: "Imported run",
  imported_db: "Imported database",
  imported_claude: "Claude Code",
  imported_codex: "Codex",
};

/** The label of a run's `source_kind`. */
export function sourceName(kind: string | null): string {
  return NAMES[kind ?? ""] ?? kind?.replaceAll("_", " ") ?? "";
}
