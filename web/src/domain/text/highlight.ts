// Highlights search terms in a snippet.

export interface TextPart {
  text: string;
  isMatch: boolean;
}

/** The snippet in parts, matches apart; case-insensitive. */
export function highlightParts(snippet: string, query: string): TextPart[] {
  const terms = searchTerms(query).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (terms.length === 0) return [{ text: snippet, isMatch: false }];
  const pattern = new RegExp(`(${terms.sort((a, b) => b.length - a.length).join("|")})`, "giu");
  return snippet
    .split(pattern)
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

/** The terms of a query, without its operators. */
export function searchTerms(query: string): string[] {
  return query.split(/[\s"*()]+/u).filter((word) => word !== "");
}
