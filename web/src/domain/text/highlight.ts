// Which parts of a snippet are what was looked for.

export interface Part {
  text: string;
  found: boolean;
}

/** The snippet in parts; words count wherever they begin, whatever their case. */
export function marked(snippet: string, sought: string): Part[] {
  const words = wordsOf(sought).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (words.length === 0) return [{ text: snippet, found: false }];
  const pattern = new RegExp(`(${words.sort((a, b) => b.length - a.length).join("|")})`, "giu");
  return snippet
    .split(pattern)
    .map((text, index) => ({ text, found: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

/** The words of a search, without the signs that only the search understands. */
export function wordsOf(sought: string): string[] {
  return sought.split(/[\s"*()]+/u).filter((word) => word !== "");
}
