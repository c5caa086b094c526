// When what happened: a lane per branch, a block where something was said, red where a tool failed, the stretch that is
// being read. A click or an arrow key goes there.
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type MouseEvent, memo, useMemo } from "react";
import { runTimeline } from "@/api/messages";
import { type Store, useStore } from "@/api/store";
import { duration, moment } from "@/domain/text/format";
import type { Outline } from "@/domain/transcript/outline";
import { gapsOf, lanesOf, ordAt, spanOf, type Times } from "@/domain/transcript/timeline";
import type { Detail } from "../transcript/segments";
import classes from "./timeline.module.css";

interface TimelineProps {
  detail: Detail;
  outline: Outline | undefined;
  seen: Store<readonly [number, number]>;
  go: (ord: number) => void;
  enabled: boolean;
}

const LANE = 14;
const MOST_LANES = 8;

export function Timeline({ detail, outline, seen, go, enabled }: TimelineProps) {
  const { id, status } = detail.session;
  const times = useQuery({ ...runTimeline(id, status === "running"), enabled }).data;
  const names = useMemo(() => new Map(detail.branches.map(({ id, name }) => [id, name])), [detail.branches]);
  const order = useMemo(() => detail.branches.map(({ id }) => id), [detail.branches]);
  const lanes = useMemo(() => (times ? lanesOf(times, order, MOST_LANES) : []), [times, order]);
  const several = detail.branches.length > 1;
  // As high as it will be, so that nothing moves when it comes.
  const height = LANE * Math.max(1, Math.min(MOST_LANES, times ? lanes.length : detail.branches.length)) + 2;
  if (detail.session.message_count < 2) return null;
  return (
    <div className={classes.timeline}>
      {several && (
        <div className={classes.names} aria-hidden>
          {lanes.map((lane) => (
            <span key={lane ?? ""} title={names.get(lane ?? "") ?? undefined}>
              {names.get(lane ?? "") ?? lane?.slice(-8) ?? "no branch"}
            </span>
          ))}
        </div>
      )}
      <div className={classes.picture} style={{ height }}>
        {times && (
          <>
            <Lanes times={times} lanes={lanes} outline={outline} />
            <Scrubber times={times} lanes={lanes} seen={seen} go={go} />
          </>
        )}
      </div>
    </div>
  );
}

interface LanesProps {
  times: Times;
  lanes: (string | null)[];
  outline: Outline | undefined;
}

const Lanes = memo(({ times, lanes, outline }: LanesProps) => {
  const most = Math.max(1, ...times.blocks.map(({ messages }) => messages));
  const whole = times.width * times.buckets;
  return (
    <>
      <svg
        className={classes.svg}
        viewBox={`0 0 ${times.buckets} ${lanes.length * LANE}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {times.blocks.map(({ branch_id, bucket, messages }) => {
          const lane = lanes.indexOf(branch_id);
          if (lane < 0) return null;
          const height = 4 + (LANE - 6) * Math.sqrt(messages / most);
          return (
            <rect
              key={`${branch_id} ${bucket}`}
              data-lane={lane % 6}
              x={bucket}
              y={lane * LANE + LANE - 1 - height}
              width={1.02}
              height={height}
            />
          );
        })}
        {times.start !== null &&
          outline?.errors.map(({ ord, at, branch_id }) => {
            if (at === null || times.start === null || whole <= 0) return null;
            const lane = Math.max(0, lanes.indexOf(branch_id));
            const x = Math.min(times.buckets - 1, ((at - times.start) / whole) * times.buckets);
            return (
              <rect key={ord} className={classes.error} x={x} y={lane * LANE} width={1.2} height={LANE} />
            );
          })}
      </svg>
      {gapsOf(times).map(({ from, to, ms }) => (
        <span key={from} className={classes.gap} style={{ left: percent(from), width: percent(to - from) }}>
          {duration(ms)}
        </span>
      ))}
    </>
  );
});

interface ScrubberProps {
  times: Times;
  lanes: (string | null)[];
  seen: Store<readonly [number, number]>;
  go: (ord: number) => void;
}

function Scrubber({ times, lanes, seen, go }: ScrubberProps) {
  const [first, last] = useStore(seen);
  const span = spanOf(times, first, last);
  const end = Math.max(0, ...times.blocks.map(({ last_ord }) => last_ord));
  const at =
    times.start === null || !span ? "" : moment(times.start + span.from * times.width * times.buckets);
  const click = (event: MouseEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const lane = lanes[Math.floor((event.clientY - box.top) / LANE)];
    const ord = ordAt(times, (event.clientX - box.left) / box.width, lane);
    if (ord !== undefined) go(ord);
  };
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (step === undefined || !span) return;
    event.preventDefault();
    const ord = ordAt(times, (step < 0 ? span.from : span.to) + step);
    if (ord !== undefined) go(ord);
  };
  return (
    <div
      className={classes.scrubber}
      role="slider"
      tabIndex={0}
      aria-label="Timeline"
      aria-valuemin={0}
      aria-valuemax={end}
      aria-valuenow={Math.max(0, Math.min(end, first))}
      aria-valuetext={`Message ${Math.max(0, first)}, ${at}`}
      onClick={click}
      onKeyDown={key}
    >
      {span && (
        <span
          className={classes.seen}
          style={{ left: percent(span.from), width: percent(span.to - span.from) }}
        />
      )}
    </div>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
