// The timeline of a run: a lane for each branch, blocks of messages, and the gaps between them.

export interface TimelineBlock {
  branch_id: string | null;
  bucket: number;
  messages: number;
  first_ord: number;
  last_ord: number;
}

export interface TimelineData {
  start: number | null;
  width: number;
  buckets: number;
  blocks: TimelineBlock[];
}

/** A range of the timeline, as fractions from 0 to 1. */
export interface Span {
  from: number;
  to: number;
}

export interface Gap extends Span {
  ms: number;
}

// Shorter gaps get no label.
const MIN_GAP_SHARE = 0.08;

/** Ranges without messages on any branch. */
export function findGaps({ blocks, buckets, width }: TimelineData): Gap[] {
  const busy = new Set(blocks.map(({ bucket }) => bucket));
  const gaps: Gap[] = [];
  let from = 0;
  for (let bucket = 0; bucket <= buckets; bucket++) {
    if (bucket < buckets && !busy.has(bucket)) continue;
    if ((bucket - from) / buckets >= MIN_GAP_SHARE)
      gaps.push({ from: from / buckets, to: bucket / buckets, ms: (bucket - from) * width * 1000 });
    from = bucket + 1;
  }
  return gaps;
}

/** The range of the messages from one number to another. */
export function spanOf({ blocks, buckets }: TimelineData, first: number, last: number): Span | undefined {
  const within = blocks.filter(({ first_ord, last_ord }) => last_ord >= first && first_ord <= last);
  if (within.length === 0) return undefined;
  const all = within.map(({ bucket }) => bucket);
  return { from: Math.min(...all) / buckets, to: (Math.max(...all) + 1) / buckets };
}

/** The message nearest to a position, on one branch if given. */
export function ordAt({ blocks, buckets }: TimelineData, share: number, branch?: string | null): number | undefined {
  const lane = branch === undefined ? blocks : blocks.filter(({ branch_id }) => branch_id === branch);
  const bucket = Math.min(buckets - 1, Math.max(0, Math.floor(share * buckets)));
  let best: TimelineBlock | undefined;
  for (const block of lane) {
    if (!best || Math.abs(block.bucket - bucket) < Math.abs(best.bucket - bucket)) best = block;
  }
  return best?.first_ord;
}

/** The branches to show, in their order; if there are too many, those with the most messages. */
export function lanesOf({ blocks }: TimelineData, order: readonly string[], maxLanes: number): (string | null)[] {
  const messageCounts = new Map<string | null, number>();
  for (const { branch_id, messages } of blocks)
    messageCounts.set(branch_id, (messageCounts.get(branch_id) ?? 0) + messages);
  const kept = new Set(
    [...messageCounts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, maxLanes)
      .map(([id]) => id),
  );
  const position = (id: string | null): number => (id === null ? -1 : order.indexOf(id));
  return [...kept].sort((a, b) => position(a) - position(b));
}
