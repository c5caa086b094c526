// The freshness mark: whether what is on the screen is what is.
import { Tooltip } from "@mantine/core";
import { line } from "@/api/connection";
import { useStore } from "@/api/store";
import { freshnessOf } from "@/domain/live/freshness";
import { ago } from "@/domain/text/format";
import { useNow } from "../data/use-now";
import classes from "./connection-status.module.css";

export function FreshnessMark() {
  const state = useStore(line);
  const now = Math.max(useNow(true), state.heardAt / 1000);
  const fresh = freshnessOf(state, now * 1000);
  const verified = state.heardAt === 0 ? "never" : ago(state.heardAt / 1000, now);
  const words = {
    live: `Live · verified ${verified}`,
    reconnecting: "Reconnecting…",
    stale: `Stale · ${verified}`,
  };
  const why = {
    live: "Changes appear here as they are committed.",
    reconnecting: "The line to Studio broke; it is tried again.",
    stale: "Studio has not been heard for a while; what you see may be old. Is `li studio` running?",
  };
  return (
    <Tooltip label={why[fresh]}>
      <span className={classes.mark} data-fresh={fresh} role="status" aria-live="off">
        <span className={classes.dot} />
        {words[fresh]}
      </span>
    </Tooltip>
  );
}
