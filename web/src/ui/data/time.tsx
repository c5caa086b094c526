// Moments and spans: relative on the page, absolute in the tooltip.
import { Tooltip } from "@mantine/core";
import { ago, duration, moment } from "@/domain/text/format";
import { useNow } from "./use-now";

/** "3 min ago"; the moment itself on hover and for a screen reader. */
export function RelativeTime({ at }: { at: number | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span>–</span>;
  return (
    <Tooltip label={moment(at)}>
      <time dateTime={iso(at)}>{ago(at, Math.max(now, at))}</time>
    </Tooltip>
  );
}

/** How long something took, or takes: one without an end counts on. */
export function Duration({
  ms,
  since,
}: {
  ms?: number | null | undefined;
  since?: number | null | undefined;
}) {
  if (ms !== null && ms !== undefined) return <span>{duration(ms)}</span>;
  return since ? <Running since={since} /> : <span>–</span>;
}

function Running({ since }: { since: number }) {
  const now = useNow(true);
  return <span>{duration(Math.max(0, now - since) * 1000)}</span>;
}

function iso(at: number): string | undefined {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
