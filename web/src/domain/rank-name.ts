// How well a typed text fits a name; the ranks are those of GET /api/find.

const WORDS = /[\p{L}\p{N}]+/gu;
const wordsOf = (text: string): string[] => text.toLowerCase().match(WORDS) ?? [];

/** 0 the whole name, 1 its start, 2 the starts of its words ("rev bo" of "review-board"), 3 any part; undefined: it does not fit. */
export function rankName(name: string, typed: string): number | undefined {
  const lower = name.toLowerCase();
  const wanted = typed.trim().toLowerCase();
  if (lower === wanted) return 0;
  if (lower.startsWith(wanted)) return 1;
  const parts = wordsOf(wanted);
  if (parts.length === 0) return undefined;
  const words = wordsOf(lower);
  let from = 0;
  const inOrder = parts.every((part) => {
    const at = words.findIndex((word, index) => index >= from && word.startsWith(part));
    from = at + 1;
    return at >= 0;
  });
  if (inOrder) return 2;
  return parts.every((part) => lower.includes(part)) ? 3 : undefined;
}
