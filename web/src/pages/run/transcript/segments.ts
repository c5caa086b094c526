// The rows of a run: messages inherited from other runs, then its own. The number of a row never changes.
import { useMemo } from "react";
import type { Schema } from "@/api/keys";
import type { MessageSource } from "@/api/messages";
import { ancestorsOf, fromOtherRuns } from "@/domain/runs/lineage";

export type Detail = Schema<"RunDetail">;
export type Ancestor = Schema<"Ancestor">;

export interface Segment {
  source: MessageSource;
  /** The number of its first row. */
  start: number;
  count: number;
  /** The run that these messages were inherited from, if any. */
  from: Ancestor | undefined;
}

/** The messages that the first forked branch inherited from other runs. */
export function useInherited(detail: Detail): readonly Ancestor[] {
  const { id } = detail.session;
  // The query cache keeps this array as long as its content is the same, unlike the branch with its counters.
  const ancestors = ancestorsOf(detail);
  return useMemo(() => fromOtherRuns(ancestors, id), [ancestors, id]);
}

export function buildSegments(sessionId: string, inherited: readonly Ancestor[], count: number): Segment[] {
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
