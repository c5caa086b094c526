// A virtual list of messages: only the visible rows exist, and they do not move while others load. A row that is not
// loaded yet has the usual height and is not measured.

import { Button } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { ReactNode } from "react";
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";
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
}

const ROW_HEIGHT = 72;
// Shows some context above a message that was jumped to.
const SCROLL_MARGIN = 56;

export function MessageScroller(props: ScrollerProps) {
  const { rows, isLoaded, render, onRange, live, startRow, startAtEnd, handle } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    scrollPaddingStart: SCROLL_MARGIN,
    paddingEnd: 40,
    // Starting at the top would fetch rows that are not shown.
    initialOffset: startRow * ROW_HEIGHT,
  });
  const follow = useFollow(scroller, startAtEnd);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const size = virtual.getTotalSize();
  useEffect(() => onRange(first, last), [first, last, onRange]);
  const { hold } = follow;
  useLayoutEffect(() => hold(size), [hold, size]);
  useImperativeHandle(handle, () => ({
    show: (row) => {
      follow.stop();
      virtual.scrollToIndex(row, { align: "start" });
    },
    follow: follow.start,
    first: () => {
      const top = scroller.current?.scrollTop ?? 0;
      return virtual.getVirtualItems().find(({ start }) => start >= top)?.index ?? first;
    },
  }));
  return (
    <div className={classes.frame}>
      <div ref={scroller} className={classes.scroller} data-scroll tabIndex={0} onScroll={follow.onScroll}>
        <ol className={classes.rows} aria-label="Messages" style={{ height: size }}>
          {items.map(({ index, start }) => {
            const loaded = isLoaded(index);
            return (
              <li
                key={loaded ? index : `-${index}`}
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
      </div>
      {live && !follow.following && (
        <Button
          className={classes.followButton}
          radius="xl"
          leftSection={<IconArrowDown size={13} />}
          onClick={follow.start}
        >
          Follow
        </Button>
      )}
    </div>
  );
}
