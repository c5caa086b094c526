/** Splits a Markdown file into its front matter, without the fences, and its body. */
export function splitFrontMatter(text: string): { head: string; body: string } {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return match ? { head: match[1] ?? "", body: text.slice(match[0].length) } : { head: "", body: text };
}
