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

/** Whether a message is in the inbox of a member: to everyone or to it, and from another one. */
export function isFor({ sender, recipient }: { sender: string; recipient: string }, member: string): boolean {
  if (sender === member) return false;
  return recipient === "all" || recipient.split(", ").includes(member);
}

const DAY = new Intl.DateTimeFormat(undefined, { weekday: "short", year: "numeric", month: "short", day: "numeric" });

/** "Tue, Nov 17, 2026", in the user's time zone. */
export function dayOf(at: number): string {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? "" : DAY.format(date);
}
