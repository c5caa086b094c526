// Whether the page shows the current state of the server.
import { Tooltip } from "@mantine/core";
import { connection } from "@/api/live/connection";
import { useStore } from "@/api/store";
import { freshnessOf } from "@/domain/live/freshness";
import { ago } from "@/domain/text/format";
import { useNow } from "../data/use-now";
import classes from "./connection-status.module.css";

export function ConnectionStatus() {
  const state = useStore(connection);
  const now = Math.max(useNow(true), state.lastHeardAt / 1000);
  const freshness = freshnessOf(state, now * 1000);
  const lastHeard = state.lastHeardAt === 0 ? "never" : ago(state.lastHeardAt / 1000, now);
  const labels = {
    live: `Live · verified ${lastHeard}`,
    reconnecting: "Reconnecting…",
    stale: `Disconnected · ${lastHeard}`,
  };
  const tooltips = {
    live: "Changes appear here as they are committed",
    reconnecting: "Connection lost; reconnecting…",
    stale: "No response from Studio; this page may be out of date. Start li studio again.",
  };
  return (
    <Tooltip label={tooltips[freshness]}>
      <span className={classes.status} data-fresh={freshness} role="status" aria-live="off">
        <span className={classes.dot} />
        <span className={classes.label}>{labels[freshness]}</span>
      </span>
    </Tooltip>
  );
}
