// Authored texts: the head of a Markdown file and what stands under it.

/** The front matter (without its fences) and the rest; a text without one is all body. */
export function splitFrontMatter(text: string): { head: string; body: string } {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return match ? { head: match[1] ?? "", body: text.slice(match[0].length) } : { head: "", body: text };
}
