// The messages, as many as there are: only what is seen exists, and what one reads does not move while the rest
// arrives. A row that is not loaded yet is as high as a usual one and is not measured.

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
  /** The first row that is wholly seen. */
  first: () => number;
}

interface ScrollerProps {
  rows: number;
  isLoaded: (row: number) => boolean;
  render: (row: number) => ReactNode;
  /** What surrounds the rows in view changed. */
  onRange: (first: number, last: number) => void;
  /** The run goes on: stay at its end. */
  live: boolean;
  /** The row to begin at; the end of a live run unless a message is meant. */
  begin: number;
  atEnd: boolean;
  handle: Ref<ScrollerHandle>;
}

const ROW_HEIGHT = 72;
// A message that one jumped to has some of what came before above it.
const SCROLL_MARGIN = 56;

export function MessageScroller(props: ScrollerProps) {
  const { rows, isLoaded, render, onRange, live, begin, atEnd, handle } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    scrollPaddingStart: SCROLL_MARGIN,
    paddingEnd: 40,
    // Not at the top first: what is there would be fetched for nothing.
    initialOffset: begin * ROW_HEIGHT,
  });
  const follow = useFollow(scroller, atEnd);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const size = virtual.getTotalSize();
  useEffect(() => onRange(first, last), [first, last, onRange]);
  // Whatever makes the list longer moves its end.
  useLayoutEffect(follow.hold, [size, rows, follow.following]);
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
      <div ref={scroller} className={classes.scroller} data-scroll tabIndex={0} {...follow.watch}>
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
                {loaded ? (
                  render(index)
                ) : (
                  <div className={classes.placeholder} style={{ height: ROW_HEIGHT }} />
                )}
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
