// Follow mode: stay at the end of a growing list. Scrolling up stops it; scrolling to the end or a click starts it again.
import { type RefObject, useCallback, useRef, useState } from "react";

const NEAR_END = 24;

/** `count` is the number of rows. */
export function useFollow(scroller: RefObject<HTMLElement | null>, initial: boolean, count: number) {
  const [following, setFollowing] = useState(initial);
  const top = useRef(0);
  // The rows that were there when following stopped.
  const [seen, setSeen] = useState(count);
  if (following && seen !== count) setSeen(count);
  /** To be called when the height of the list changes. */
  const hold = useCallback(
    (height: number): void => {
      const element = scroller.current;
      if (!element || !following) return;
      element.scrollTop = height;
      top.current = element.scrollTop;
    },
    [scroller, following],
  );
  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    const below = element.scrollHeight - element.clientHeight - element.scrollTop;
    const scrolledUp = element.scrollTop < top.current - 1;
    top.current = element.scrollTop;
    if (below <= NEAR_END && !scrolledUp) setFollowing(true);
    else if (scrolledUp && below > NEAR_END) setFollowing(false);
  };
  const start = (): void => {
    setFollowing(true);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  return { following, unseen: count - seen, start, stop: () => setFollowing(false), hold, onScroll };
}
