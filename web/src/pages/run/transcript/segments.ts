// The rows of a run: what it inherited from other runs first, then its own. A row's number never changes.
import type { Schema } from "@/api/keys";
import type { MessageSource } from "@/api/messages";

export type Detail = Schema<"RunDetail">;
export type Ancestor = Schema<"Ancestor">;

export interface Segment {
  source: MessageSource;
  /** The number of its first row. */
  start: number;
  count: number;
  /** Whose messages these were, when not this run's. */
  from: Ancestor | undefined;
}

/** What the run's first forked branch saw before its own messages; branches of this run are in its list already. */
export function inheritedSegments(detail: Detail): Ancestor[] {
  const id = detail.session.id;
  const foreign = detail.branches.map(({ inherited }) =>
    inherited.filter((ancestor) => ancestor.session_id !== id),
  );
  return (foreign.find((ancestor) => ancestor.length > 0) ?? []).filter(({ last_ord }) => last_ord >= 0);
}

export function buildSegments(sessionId: string, inherited: Ancestor[], count: number): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  for (const from of inherited) {
    segments.push({ source: { of: "branch", id: from.branch_id }, start, count: from.last_ord + 1, from });
    start += from.last_ord + 1;
  }
  segments.push({ source: { of: "session", id: sessionId }, start, count, from: undefined });
  return segments;
}

export function segmentAt(segments: Segment[], row: number): Segment | undefined {
  return segments.find(({ start, count }) => row >= start && row < start + count);
}
