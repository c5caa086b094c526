// Staying at the end of what grows. Somebody who scrolls up wants to read, so that ends it; going back to the end, or
// one click, begins it again.
import { type RefObject, useCallback, useRef, useState } from "react";

const NEAR = 24;

export function useFollow(scroller: RefObject<HTMLElement | null>, begin: boolean) {
  const [following, setFollowing] = useState(begin);
  const top = useRef(0);
  const hold = useCallback((): void => {
    const element = scroller.current;
    if (!element || !following) return;
    element.scrollTop = element.scrollHeight;
    top.current = element.scrollTop;
  }, [scroller, following]);
  const onScroll = (): void => {
    const element = scroller.current;
    if (!element) return;
    const below = element.scrollHeight - element.clientHeight - element.scrollTop;
    const wentUp = element.scrollTop < top.current - 1;
    top.current = element.scrollTop;
    if (below <= NEAR && !wentUp) setFollowing(true);
    else if (wentUp && below > NEAR) setFollowing(false);
  };
  const start = (): void => {
    setFollowing(true);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  return { following, start, stop: () => setFollowing(false), hold, watch: { onScroll } };
}
