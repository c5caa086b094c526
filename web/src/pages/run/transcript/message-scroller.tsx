// A virtual list of messages: only the visible rows exist, and they do not move while others load. A row that is not
// loaded yet has the usual height and is not measured.

import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { formatInteger } from "@/domain/text/format";
import classes from "./message-scroller.module.css";
import { useFollow } from "./use-follow";

export interface ScrollerHandle {
  show: (row: number) => void;
  follow: () => void;
  /** The first fully visible row. */
  first: () => number;
}

interface ScrollerProps {
  rows: number;
  /** Identifies a row, whose height is remembered. */
  keyOf: (index: number) => number;
  isLoaded: (row: number) => boolean;
  render: (row: number) => ReactNode;
  /** Called when other rows come into view. */
  onRange: (first: number, last: number) => void;
  /** The run is running, so follow mode is available. */
  live: boolean;
  startRow: number;
  /** Start in follow mode, at the end. */
  startAtEnd: boolean;
  handle: Ref<ScrollerHandle>;
  /** Content below the last row. */
  after?: ReactNode;
}

const ROW_HEIGHT = 72;
// Shows some context above a message that was jumped to.
const SCROLL_MARGIN = 56;

export function MessageScroller(props: ScrollerProps) {
  const { rows, keyOf, isLoaded, render, onRange, live, startRow, startAtEnd, handle, after } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: keyOf,
    overscan: 6,
    scrollPaddingStart: SCROLL_MARGIN,
    paddingEnd: after ? 0 : 40,
    // Starting at the top would fetch rows that are not shown.
    initialOffset: startRow * ROW_HEIGHT,
  });
  const follow = useFollow(scroller, startAtEnd, rows);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const size = virtual.getTotalSize();
  // What is below the rows waits for their true heights.
  const [isLaidOut, setLaidOut] = useState(false);
  if (!isLaidOut && items.length > 0 && items.every(({ index }) => isLoaded(index))) setLaidOut(true);
  useEffect(() => onRange(first, last), [first, last, onRange]);
  const { hold } = follow;
  useLayoutEffect(() => {
    hold(size);
    // A list that fits the window cannot scroll to the offset that was asked for, and no event tells the virtual list.
    const element = scroller.current;
    if (element && Math.abs(element.scrollTop - (virtual.scrollOffset ?? 0)) > 1)
      element.dispatchEvent(new Event("scroll"));
  }, [hold, size, virtual]);
  const followEnd = (): void => {
    // Replaces the target of a jump that is still settling.
    virtual.scrollToEnd();
    follow.start();
  };
  useImperativeHandle(handle, () => ({
    show: (row) => {
      follow.stop();
      virtual.scrollToIndex(row, { align: "start" });
    },
    follow: followEnd,
    first: () => {
      const top = scroller.current?.scrollTop ?? 0;
      return virtual.getVirtualItems().find(({ start }) => start >= top)?.index ?? first;
    },
  }));
  return (
    <div className={classes.frame}>
      <div ref={scroller} className={classes.scroller} data-scroll tabIndex={0} onScroll={follow.onScroll}>
        <ol className={classes.rows} aria-label="Messages" style={{ height: size }}>
          {items.map(({ index, start, key }) => {
            const loaded = isLoaded(index);
            return (
              <li
                key={loaded ? String(key) : `-${key}`}
                ref={loaded ? virtual.measureElement : undefined}
                data-index={index}
                aria-setsize={rows}
                aria-posinset={index + 1}
                className={classes.item}
                style={{ transform: `translateY(${start}px)` }}
              >
                {loaded ? render(index) : <div className={classes.placeholder} style={{ height: ROW_HEIGHT }} />}
              </li>
            );
          })}
        </ol>
        {isLaidOut && after}
      </div>
      {live && !follow.following && (
        <Button
          className={classes.followButton}
          radius="xl"
          leftSection={<IconArrowDown size={13} />}
          onClick={followEnd}
        >
          Follow{follow.unseen > 0 && ` · ${formatInteger(follow.unseen)} new`}
        </Button>
      )}
    </div>
  );
}
