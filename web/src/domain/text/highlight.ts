// Which parts of a snippet are what was looked for.

export interface TextPart {
  text: string;
  isMatch: boolean;
}

/** The snippet in parts; words count wherever they begin, whatever their case. */
export function highlightParts(snippet: string, query: string): TextPart[] {
  const terms = searchTerms(query).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (terms.length === 0) return [{ text: snippet, isMatch: false }];
  const pattern = new RegExp(`(${terms.sort((a, b) => b.length - a.length).join("|")})`, "giu");
  return snippet
    .split(pattern)
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

/** The words of a search, without the signs that only the search understands. */
export function searchTerms(query: string): string[] {
  return query.split(/[\s"*()]+/u).filter((word) => word !== "");
}
