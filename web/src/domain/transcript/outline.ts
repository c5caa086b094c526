// The outline of a growing run: the server sends only the new part, which is merged into the old one.

export interface ToolFailure {
  ord: number;
  message_id: string;
  branch_id: string | null;
  at: number | null;
  tool: string | null;
  text: string;
}

export interface TouchedFile {
  path: string;
  calls: number;
  tools: string[];
  first_ord: number;
  last_ord: number;
}

export interface Outline {
  seq: number;
  session_id: string;
  errors: ToolFailure[];
  users: number[];
  tools: Record<string, { calls: number; errors: number }>;
  files: TouchedFile[];
  last_ord: number | null;
}

export function mergeOutlines(old: Outline, news: Outline): Outline {
  return {
    seq: news.seq,
    session_id: news.session_id,
    errors: [...old.errors, ...news.errors],
    users: [...old.users, ...news.users],
    tools: mergeTools(old.tools, news.tools),
    files: files(old.files, news.files),
    last_ord: news.last_ord ?? old.last_ord,
  };
}

function mergeTools(old: Outline["tools"], news: Outline["tools"]): Outline["tools"] {
  // Agents choose the tool names; a Map is safe against `__proto__`.
  const all = new Map(Object.entries(old));
  for (const [tool, { calls, errors }] of Object.entries(news)) {
    const before = all.get(tool) ?? { calls: 0, errors: 0 };
    all.set(tool, { calls: before.calls + calls, errors: before.errors + errors });
  }
  return Object.fromEntries(all);
}

function files(old: TouchedFile[], news: TouchedFile[]): TouchedFile[] {
  const all = new Map(old.map((file) => [file.path, file]));
  for (const file of news) {
    const before = all.get(file.path);
    all.set(file.path, before ? { ...file, ...together(before, file) } : file);
  }
  return [...all.values()].sort((a, b) => b.last_ord - a.last_ord);
}

function together(before: TouchedFile, file: TouchedFile) {
  return {
    calls: before.calls + file.calls,
    tools: [...new Set([...before.tools, ...file.tools])],
    first_ord: before.first_ord,
  };
}
