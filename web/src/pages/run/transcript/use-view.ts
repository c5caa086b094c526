// The rows that the reading modes and the branch leave. A row is a message; its index is its position in the list.
import { useMemo } from "react";
import type { Outline } from "@/domain/transcript/outline";
import { indexAtOrBefore, isWhole, type Reading, readOrds } from "@/domain/transcript/reading";

export interface RowView {
  /** The rows to show; undefined for all. */
  rows: readonly number[] | undefined;
  /** The outline is needed, and not there yet. */
  isPending: boolean;
  rowAt: (index: number) => number;
  /** The index of a row, or of the last one before it. */
  indexOf: (row: number) => number;
  has: (row: number) => boolean;
}

export function useView(reading: Reading, outline: Outline | undefined, inheritedCount: number): RowView {
  const whole = isWhole(reading);
  const { modes, branch } = reading;
  const rows = useMemo(() => {
    if (whole) return undefined;
    // What a fork inherited has no outline; its rows are hidden one by one.
    const inherited = branch ? [] : Array.from({ length: inheritedCount }, (_, row) => row);
    const own = outline ? readOrds(outline, { modes, branch }) : [];
    return [...inherited, ...own.map((ord) => inheritedCount + ord)];
  }, [whole, modes, branch, outline, inheritedCount]);
  return useMemo(() => {
    const indexOf = (row: number): number => (rows ? indexAtOrBefore(rows, row) : row);
    return {
      rows,
      isPending: !whole && !outline,
      rowAt: (index) => rows?.[index] ?? index,
      indexOf,
      has: (row) => rows === undefined || rows[indexOf(row)] === row,
    };
  }, [rows, whole, outline]);
}
