// One clock for every relative time. It stops in a hidden tab.
import { useSyncExternalStore } from "react";

function clock(everyMs: number) {
  let now = Date.now() / 1000;
  let timer: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  const tick = (): void => {
    if (document.hidden) return;
    now = Date.now() / 1000;
    for (const listener of listeners) listener();
  };
  return {
    get: () => now,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      if (timer === undefined) {
        now = Date.now() / 1000;
        timer = setInterval(tick, everyMs);
        document.addEventListener("visibilitychange", tick);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        document.removeEventListener("visibilitychange", tick);
      };
    },
  };
}

const seconds = clock(1000);
const slow = clock(10_000);

/** The current time in unix seconds, updated every second or every ten seconds. */
export function useNow(precise = false): number {
  const source = precise ? seconds : slow;
  return useSyncExternalStore(source.subscribe, source.get);
}
