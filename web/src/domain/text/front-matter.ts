// Authored texts: the head of a Markdown file and what stands under it.

/** The front matter (without its fences) and the rest; a text without one is all body. */
export function splitHead(text: string): { head: string; body: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return found ? { head: found[1] ?? "", body: text.slice(found[0].length) } : { head: "", body: text };
}
