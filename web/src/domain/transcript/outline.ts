// The outline of a growing run: the server sends only the new part, which is merged into the old one.

export interface ToolFailure {
  ord: number;
  /** The call and its result have one number on the page: that of the call. */
  call_ord: number | null;
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
  /** A letter for each message, see reading.ts. */
  kinds: string;
  /** Where another branch speaks than before. */
  lanes: { ord: number; branch_id: string | null }[];
  /** The tokens that the model read for a message. */
  contexts: { ord: number; tokens: number }[];
  errors: ToolFailure[];
  users: number[];
  tools: Record<string, { calls: number; errors: number }>;
  files: TouchedFile[];
  last_ord: number | null;
  has_more: boolean;
}

export function mergeOutlines(old: Outline, added: Outline): Outline {
  return {
    seq: added.seq,
    session_id: added.session_id,
    kinds: old.kinds + added.kinds,
    lanes: [...old.lanes, ...added.lanes],
    contexts: [...old.contexts, ...added.contexts],
    errors: [...old.errors, ...added.errors],
    users: [...old.users, ...added.users],
    tools: mergeTools(old.tools, added.tools),
    files: mergeFiles(old.files, added.files),
    last_ord: added.last_ord ?? old.last_ord,
    has_more: added.has_more,
  };
}

/** The number of a failed call. */
export const errorOrd = ({ ord, call_ord }: ToolFailure): number => call_ord ?? ord;

function mergeTools(old: Outline["tools"], added: Outline["tools"]): Outline["tools"] {
  // Agents choose the tool names; a Map is safe against `__proto__`.
  const merged = new Map(Object.entries(old));
  for (const [tool, { calls, errors }] of Object.entries(added)) {
    const before = merged.get(tool) ?? { calls: 0, errors: 0 };
    merged.set(tool, { calls: before.calls + calls, errors: before.errors + errors });
  }
  return Object.fromEntries(merged);
}

function mergeFiles(old: TouchedFile[], added: TouchedFile[]): TouchedFile[] {
  const merged = new Map(old.map((file) => [file.path, file]));
  for (const file of added) {
    const before = merged.get(file.path);
    const both = before && {
      ...file,
      calls: before.calls + file.calls,
      tools: [...new Set([...before.tools, ...file.tools])],
      first_ord: before.first_ord,
    };
    merged.set(file.path, both ?? file);
  }
  return [...merged.values()].sort((a, b) => b.last_ord - a.last_ord);
}
