// Messages of a team as they are shown.

interface Said {
  content: string;
  summary?: string | null;
}

// Beyond this a message is folded even when nobody wrote a summary (ADR-0019 speaks of about 200 characters).
const LONG = 240;

/** What is shown before somebody expands it, and whether there is more. */
export function shortOf({ content, summary }: Said): { text: string; folded: boolean } {
  if (summary && summary !== content) return { text: summary, folded: true };
  if (content.length <= LONG) return { text: content, folded: false };
  const [line = ""] = content.split("\n", 1);
  return { text: `${line.slice(0, LONG).trimEnd()}…`, folded: true };
}

/** The day of a moment, to set days apart. */
export function dayOf(at: number): string {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toDateString();
}
