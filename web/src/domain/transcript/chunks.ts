// A run of 30,000 messages in pieces of a hundred: which pieces a stretch of rows needs, and how news joins the last.

export const PIECE = 100;
// How many rows beyond what is seen are fetched already: a quick scroll should find them there.
const AHEAD = 60;

export interface Piece<T extends { ord: number }> {
  messages: T[];
  /** Whether a message of this piece may still come. */
  full: boolean;
}

export function pieceOf(ord: number): number {
  return Math.floor(ord / PIECE);
}

/** The pieces that the rows from first to last need, with some to spare on both sides. */
export function piecesFor(first: number, last: number, count: number): number[] {
  if (count <= 0) return [];
  const low = pieceOf(Math.max(0, Math.min(first, count - 1) - AHEAD));
  const high = pieceOf(Math.max(0, Math.min(count - 1, last + AHEAD)));
  return Array.from({ length: high - low + 1 }, (_, index) => low + index);
}

/** A piece with messages that came later; undefined when one between them is not known. */
export function extended<T extends { ord: number }>(
  old: Piece<T>,
  piece: number,
  news: T[],
): Piece<T> | undefined {
  const next = (old.messages.at(-1)?.ord ?? piece * PIECE - 1) + 1;
  const mine = news.filter(({ ord }) => pieceOf(ord) === piece && ord >= next);
  if (mine.length === 0) return old;
  if (mine[0]?.ord !== next) return undefined;
  const messages = [...old.messages, ...mine];
  return { messages, full: (messages.at(-1)?.ord ?? 0) % PIECE === PIECE - 1 };
}

/** The next of these ords (ascending) after one, or before it; round the end when there is none. */
export function neighbour(ords: readonly number[], from: number, step: 1 | -1): number | undefined {
  if (step === 1) return ords.find((ord) => ord > from) ?? ords[0];
  return ords.findLast((ord) => ord < from) ?? ords.at(-1);
}
