// A virtual list: only the visible rows exist. Rows may differ in height; they are measured when they appear.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import classes from "./virtual-list.module.css";

export interface VirtualListHandle {
  scrollTo: (index: number, align?: "auto" | "start" | "center" | "end") => void;
  element: HTMLDivElement | null;
}

interface VirtualListProps {
  count: number;
  /** The estimated height of a row in pixels; the closer, the steadier the scroll bar. */
  estimate: number | ((index: number) => number);
  keyOf: (index: number) => string | number;
  render: (index: number) => ReactNode;
  label: string;
  /** Called when the last rows come into view. */
  nearEnd?: (() => void) | undefined;
  onScroll?: (element: HTMLDivElement) => void;
  /** Called when other rows come into view. */
  onRange?: (first: number, last: number) => void;
  handle?: Ref<VirtualListHandle>;
  overscan?: number;
  /** Content above the rows, and its height if it is sticky. */
  before?: ReactNode;
  beforeHeight?: number;
  after?: ReactNode;
}

export function VirtualList(props: VirtualListProps) {
  const { count, estimate, keyOf, render, nearEnd, onRange, overscan = 8, beforeHeight = 0 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: typeof estimate === "number" ? () => estimate : estimate,
    getItemKey: keyOf,
    overscan,
    scrollMargin: beforeHeight,
    scrollPaddingStart: beforeHeight,
  });
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (nearEnd && count > 0 && last >= count - 10) nearEnd();
  }, [last, count, nearEnd]);
  useEffect(() => {
    if (last >= 0) onRange?.(first, last);
  }, [first, last, onRange]);
  useImperativeHandle(props.handle, () => ({
    scrollTo: (index, align = "auto") => virtual.scrollToIndex(index, { align }),
    element: scroller.current,
  }));
  return (
    <div
      ref={scroller}
      className={classes.scroller}
      data-scroll
      onScroll={(event) => props.onScroll?.(event.currentTarget)}
    >
      {props.before}
      <ul className={classes.rows} aria-label={props.label} style={{ height: virtual.getTotalSize() }}>
        {rows.map((row) => (
          <li
            key={row.key}
            ref={virtual.measureElement}
            data-index={row.index}
            aria-setsize={count}
            aria-posinset={row.index + 1}
            className={classes.row}
            style={{ transform: `translateY(${row.start - beforeHeight}px)` }}
          >
            {render(row.index)}
          </li>
        ))}
      </ul>
      {props.after}
    </div>
  );
}
