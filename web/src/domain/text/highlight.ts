// Highlights search terms in a snippet.

export interface TextPart {
  text: string;
  isMatch: boolean;
}

const LETTER = "[\\p{L}\\p{N}]";

/** The snippet in parts, matches apart; case-insensitive. A term matches a whole word, or the `start` of one. */
export function highlightParts(snippet: string, query: string, words: "whole" | "start" = "whole"): TextPart[] {
  const terms = matchedTerms(query);
  if (terms.length === 0) return [{ text: snippet, isMatch: false }];
  const patterns = terms.map(({ text, isStart }) => {
    const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return isStart || words === "start" ? escaped : `${escaped}(?!${LETTER})`;
  });
  const pattern = new RegExp(`(?<!${LETTER})(${patterns.sort((a, b) => b.length - a.length).join("|")})`, "giu");
  return snippet
    .split(pattern)
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

/** The terms of a query, without its operators and filters (`role:tool`); the path of `file:` is a term. */
export function searchTerms(query: string): string[] {
  return matchedTerms(query).map(({ text }) => text);
}

const FILTER = /(?:^|\s)(file|role|tool|agent|project|status|run):(?:"([^"]*)"|([^\s"]+))/gu;

function matchedTerms(query: string): { text: string; isStart: boolean }[] {
  const paths: string[] = [];
  const words = query.replace(FILTER, (_, name: string, quoted?: string, plain?: string) => {
    if (name === "file") paths.push(quoted ?? plain ?? "");
    return " ";
  });
  return [
    ...paths.filter((path) => path !== "").map((text) => ({ text, isStart: false })),
    ...(words.match(/[\p{L}\p{N}_]+\*?/gu) ?? []).map((word) => ({
      text: word.replace("*", ""),
      isStart: word.endsWith("*"),
    })),
  ];
}
