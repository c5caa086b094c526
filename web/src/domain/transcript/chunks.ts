// Messages are loaded in chunks: a run can have 30,000 of them.

export const CHUNK_SIZE = 100;
// Rows beyond the visible ones that are loaded in advance, for quick scrolling.
const PREFETCH_ROWS = 60;

export interface Chunk<T extends { ord: number }> {
  messages: T[];
  /** Whether the chunk is complete; otherwise messages may be appended. */
  isFull: boolean;
}

export function chunkIndex(ord: number): number {
  return Math.floor(ord / CHUNK_SIZE);
}

/** The chunks for a range of rows, with some rows to spare on both sides. */
export function chunksForRange(first: number, last: number, count: number, spare = PREFETCH_ROWS): number[] {
  if (count <= 0) return [];
  const low = chunkIndex(Math.max(0, Math.min(first, count - 1) - spare));
  const high = chunkIndex(Math.max(0, Math.min(count - 1, last + spare)));
  return Array.from({ length: high - low + 1 }, (_, index) => low + index);
}

/** Rows that are near each other as ranges. */
export function rangesOf(rows: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range && row - range[1] < CHUNK_SIZE) range[1] = row;
    else ranges.push([row, row]);
  }
  return ranges;
}

/** The chunk with new messages appended; undefined if a message between them is missing. */
export function appendToChunk<T extends { ord: number }>(
  old: Chunk<T>,
  index: number,
  incoming: T[],
): Chunk<T> | undefined {
  const next = (old.messages.at(-1)?.ord ?? index * CHUNK_SIZE - 1) + 1;
  const added = incoming.filter(({ ord }) => chunkIndex(ord) === index && ord >= next);
  if (added.length === 0) return old;
  if (added[0]?.ord !== next) return undefined;
  const messages = [...old.messages, ...added];
  return { messages, isFull: (messages.at(-1)?.ord ?? 0) % CHUNK_SIZE === CHUNK_SIZE - 1 };
}

/** The next or previous of these ascending numbers; wraps around at the end. */
export function adjacentOrd(ords: readonly number[], from: number, step: 1 | -1): number | undefined {
  if (step === 1) return ords.find((ord) => ord > from) ?? ords[0];
  return ords.findLast((ord) => ord < from) ?? ords.at(-1);
}
