// The language of a file, for syntax highlighting.

const BY_EXTENSION: Record<string, string> = {
  bash: "bash", c: "c", cc: "cpp", cpp: "cpp", cs: "csharp", css: "css", diff: "diff", go: "go", graphql: "graphql",
  h: "c", hpp: "cpp", html: "xml", ini: "ini", java: "java", js: "javascript", json: "json", jsonl: "json",
  jsx: "javascript", kt: "kotlin", less: "less", lua: "lua", md: "markdown", mjs: "javascript", patch: "diff",
  php: "php", pl: "perl", py: "python", pyi: "python", r: "r", rb: "ruby", rs: "rust", scss: "scss", sh: "bash",
  sql: "sql", svg: "xml", swift: "swift", toml: "ini", ts: "typescript", tsx: "typescript", vue: "xml", xml: "xml",
  yaml: "yaml", yml: "yaml", zsh: "bash",
}; // biome-ignore format: one table
const BY_NAME: Record<string, string> = { makefile: "makefile", dockerfile: "bash", gemfile: "ruby" };

/** The language by the name of a file, which line numbers may follow; undefined if it is unknown. */
export function languageOf(path: string): string | undefined {
  const name = (path.split(/[/\\]/).at(-1) ?? "").replace(/:\d+(–\d+)?$/, "").toLowerCase();
  const extension = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name];
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

/** The lines of a file without the numbers that a tool put before them. */
export function withoutLineNumbers(text: string): { numbers: string[] | undefined; code: string } {
  const lines = text.split("\n");
  const parts = lines.map((line) => /^ *(\d+)(?:\t|→| {2}|: )(.*)$/s.exec(line));
  const isNumbered = parts.every((part, index) => part !== null || (index === lines.length - 1 && lines[index] === ""));
  if (lines.length === 0 || parts[0] === null || !isNumbered) return { numbers: undefined, code: text };
  return { numbers: parts.map((part) => part?.[1] ?? ""), code: parts.map((part) => part?.[2] ?? "").join("\n") };
}
