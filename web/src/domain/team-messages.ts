interface MessageBody {
  content: string;
  summary?: string | null;
}

// Longer messages are truncated even without a summary (ADR-0019: about 200 characters).
const MAX_PREVIEW = 240;

/** The collapsed form of a message, and whether it is shorter than the message. */
export function previewOf({ content, summary }: MessageBody): { text: string; truncated: boolean } {
  if (summary && summary !== content) return { text: summary, truncated: true };
  if (content.length <= MAX_PREVIEW) return { text: content, truncated: false };
  const [line = ""] = content.split("\n", 1);
  return { text: `${line.slice(0, MAX_PREVIEW).trimEnd()}…`, truncated: true };
}

export function dayOf(at: number): string {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toDateString();
}
