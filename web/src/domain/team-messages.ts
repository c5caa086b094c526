// Messages of a team as they are shown.

interface MessageBody {
  content: string;
  summary?: string | null;
}

// Beyond this a message is folded even when nobody wrote a summary (ADR-0019 speaks of about 200 characters).
const MAX_PREVIEW = 240;

/** What is shown before somebody expands it, and whether there is more. */
export function previewOf({ content, summary }: MessageBody): { text: string; truncated: boolean } {
  if (summary && summary !== content) return { text: summary, truncated: true };
  if (content.length <= MAX_PREVIEW) return { text: content, truncated: false };
  const [line = ""] = content.split("\n", 1);
  return { text: `${line.slice(0, MAX_PREVIEW).trimEnd()}…`, truncated: true };
}

/** The day of a moment, to set days apart. */
export function dayOf(at: number): string {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toDateString();
}
