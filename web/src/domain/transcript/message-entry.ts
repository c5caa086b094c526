// Reads a message: text, tool call or tool result. Agents control the content, so no shape is trusted.

export interface TranscriptMessage {
  ord: number;
  id: string;
  branch_id: string | null;
  missing: boolean;
  created_at: number | null;
  content?: unknown;
  metadata?: unknown;
  size: number;
  cut: Record<string, number> | null;
  role?: string | null;
  lion_class?: string | null;
}

export type Speaker = "system" | "user" | "assistant" | "tool" | "other";

/** A text of the content. If `length` exceeds the text, the rest is read from the server by `key`. */
export interface MessageText {
  text: string;
  key: string;
  length: number;
}

export type Entry =
  | { kind: "text"; speaker: Speaker; body: MessageText; thinking: MessageText | undefined }
  | { kind: "call"; tool: string; args: unknown; title: string | undefined; body: MessageText }
  | {
      kind: "result";
      tool: string | undefined;
      failed: boolean;
      body: MessageText;
      requestId: string | undefined;
    }
  | { kind: "missing" };

const TEXT_KEYS: [string, Speaker][] = [
  ["instruction", "user"],
  ["assistant_response", "assistant"],
  ["system_message", "system"],
];

const entryCache = new WeakMap<TranscriptMessage, Entry>();

/** The parsed message. Cached, because every render asks for it. */
export function entryOf(message: TranscriptMessage): Entry {
  const cached = entryCache.get(message);
  if (cached) return cached;
  const entry = parseEntry(message);
  entryCache.set(message, entry);
  return entry;
}

function parseEntry(message: TranscriptMessage): Entry {
  if (message.missing) return { kind: "missing" };
  const content = message.content;
  if (!isRecord(content)) return textEntry(speakerOf(message), messageText(message, "", content));
  for (const [key, speaker] of TEXT_KEYS) {
    if (!has(content, key)) continue;
    const thinking =
      has(content, "thinking") && content.thinking ? messageText(message, "thinking", content.thinking) : undefined;
    const body = messageText(message, key, content[key]);
    return { kind: "text", speaker: speaker === "user" && isInjected(message) ? "system" : speaker, body, thinking };
  }
  const isResult =
    message.lion_class?.endsWith("ActionResponse") ||
    ["action_request_id", "output", "error"].some((key) => has(content, key));
  if (isResult) return resultEntry(message, content);
  if (has(content, "function")) {
    const body = messageText(message, "arguments", content.arguments);
    const title = isRecord(message.metadata) ? message.metadata.title : undefined;
    return {
      kind: "call",
      tool: toText(content.function),
      args: content.arguments,
      title: typeof title === "string" ? title : undefined,
      body,
    };
  }
  return textEntry(speakerOf(message), messageText(message, "", content));
}

/** A reminder or notice that the agent's program added to the conversation; the user did not write it. */
function isInjected({ role, metadata }: TranscriptMessage): boolean {
  return role === "system" || (isRecord(metadata) && metadata.injected === true);
}

/** Several lines that a program printed: they are shown as they are, not as Markdown. */
export function isProgramOutput({ metadata }: TranscriptMessage): boolean {
  return isRecord(metadata) && typeof metadata.lines === "number";
}

function textEntry(speaker: Speaker, body: MessageText): Entry {
  return { kind: "text", speaker, body, thinking: undefined };
}

function resultEntry(message: TranscriptMessage, content: Record<string, unknown>): Entry {
  const failed = has(content, "error") && content.error !== null;
  const key = failed ? "error" : "output";
  const body = messageText(message, key, has(content, key) ? content[key] : "");
  return {
    kind: "result",
    failed,
    tool: has(content, "function") ? toText(content.function) : undefined,
    body: failed && body.text.trim() === "" ? { ...body, ...failureWithoutOutput(message) } : body,
    requestId: typeof content.action_request_id === "string" ? content.action_request_id : undefined,
  };
}

function failureWithoutOutput({ metadata }: TranscriptMessage): { text: string; length: number } {
  const code = isRecord(metadata) ? metadata.exit_code : undefined;
  const text = typeof code === "number" ? `failed without output, exit code ${code}` : "failed without output";
  return { text, length: text.length };
}

function messageText(message: TranscriptMessage, key: string, value: unknown): MessageText {
  const text = toText(value);
  const fullLength = message.cut && has(message.cut, key) ? message.cut[key] : undefined;
  return { text, key, length: Math.max(text.length, fullLength ?? 0) };
}

function speakerOf({ role }: TranscriptMessage): Speaker {
  return role === "user" || role === "assistant" || role === "system" || role === "tool" ? role : "other";
}

/** Text as it is, anything else as formatted JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  const blocks = Array.isArray(value) ? value.map(blockText) : [];
  if (blocks.length > 0 && blocks.every((text) => text !== undefined)) return blocks.join("\n");
  return JSON.stringify(value, null, 2) ?? "";
}

/** MCP tools return a list of text blocks. */
function blockText(block: unknown): string | undefined {
  return isRecord(block) && block.type === "text" && typeof block.text === "string" ? block.text : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function has<K extends string>(value: object, key: K): value is Record<K, unknown> {
  return Object.hasOwn(value, key);
}

/** The beginning of a text, limited by lines and characters. */
export function firstLines(text: string, lines: number, characters: number): string {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0 || end > characters) return text.slice(0, characters);
  }
  return text.slice(0, end);
}
