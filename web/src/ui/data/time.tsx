// Times and durations: relative on the page, absolute in the tooltip.
import { Tooltip } from "@mantine/core";
import { ago, dateTime, duration } from "@/domain/text/format";
import { useNow } from "./use-now";

/** "3 min ago", with the date as tooltip. */
export function RelativeTime({ at }: { at: number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span>–</span>;
  return (
    <Tooltip label={dateTime(at)}>
      <time dateTime={isoDate(at)}>{ago(at, Math.max(now, at))}</time>
    </Tooltip>
  );
}

/** A duration; without `ms` it counts up from `since`. */
export function Duration({ ms, since }: { ms?: number | null | undefined; since?: number | null | undefined }) {
  if (ms !== null && ms !== undefined) return <span>{duration(ms)}</span>;
  return since ? <ElapsedTime since={since} /> : <span>–</span>;
}

function ElapsedTime({ since }: { since: number }) {
  const now = useNow(true);
  return <span>{duration(Math.max(0, now - since) * 1000)}</span>;
}

function isoDate(at: number): string | undefined {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
