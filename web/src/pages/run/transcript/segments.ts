// The rows of a run: what it inherited from other runs first, then its own. A row's number never changes.
import type { Schema } from "@/api/keys";
import type { Place } from "@/api/messages";

export type Detail = Schema<"RunDetail">;
export type Ancestor = Schema<"Ancestor">;

export interface Segment {
  place: Place;
  /** The number of its first row. */
  start: number;
  count: number;
  /** Whose messages these were, when not this run's. */
  from: Ancestor | undefined;
}

/** What the run's first forked branch saw before its own messages; branches of this run are in its list already. */
export function inheritedBy(detail: Detail): Ancestor[] {
  const id = detail.session.id;
  const foreign = detail.branches.map(({ inherited }) => inherited.filter((each) => each.session_id !== id));
  return (foreign.find((each) => each.length > 0) ?? []).filter(({ last_ord }) => last_ord >= 0);
}

export function segmentsOf(sessionId: string, inherited: Ancestor[], count: number): Segment[] {
  const found: Segment[] = [];
  let start = 0;
  for (const from of inherited) {
    found.push({ place: { of: "branch", id: from.branch_id }, start, count: from.last_ord + 1, from });
    start += from.last_ord + 1;
  }
  found.push({ place: { of: "session", id: sessionId }, start, count, from: undefined });
  return found;
}

export function segmentAt(segments: Segment[], row: number): Segment | undefined {
  return segments.find(({ start, count }) => row >= start && row < start + count);
}
