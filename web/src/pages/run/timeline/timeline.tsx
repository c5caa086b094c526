// The timeline: a lane for each branch, a block where messages are, red where a tool failed, and the visible range.
// Click or press an arrow key to go there.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useMemo } from "react";
import { keys } from "@/api/keys";
import { runTimeline } from "@/api/messages";
import { type Store, useStore } from "@/api/store";
import { dateTime, duration } from "@/domain/text/format";
import { errorOrd, type Outline } from "@/domain/transcript/outline";
import { findGaps, lanesOf, ordAt, spanOf, type TimelineData } from "@/domain/transcript/timeline";
import { branchName } from "../branch-names";
import type { Detail } from "../transcript/segments";
import classes from "./timeline.module.css";

interface TimelineProps {
  detail: Detail;
  outline: Outline | undefined;
  visibleRange: Store<readonly [number, number]>;
  goTo: (ord: number) => void;
  enabled: boolean;
}

const LANE_HEIGHT = 14;
const MAX_LANES = 8;
// The server walks the whole run; a longer one is refreshed less often.
const OFTEN_BELOW = 2000;

export function Timeline({ detail, outline, visibleRange, goTo, enabled }: TimelineProps) {
  const { id, state, message_count } = detail.session;
  const data = useQuery({ ...runTimeline(id, state.group === "running"), enabled }).data;
  useRefreshed(id, message_count < OFTEN_BELOW ? message_count : 0, state.group, enabled);
  const names = useMemo(
    () => new Map(detail.branches.map((branch) => [branch.id, branchName(branch)])),
    [detail.branches],
  );
  const order = useMemo(() => detail.branches.map(({ id }) => id), [detail.branches]);
  const lanes = useMemo(() => (data ? lanesOf(data, order, MAX_LANES) : []), [data, order]);
  const several = detail.branches.length > 1;
  // The final height from the start, so that nothing moves when the data arrives.
  const height = LANE_HEIGHT * Math.max(1, Math.min(MAX_LANES, data ? lanes.length : detail.branches.length)) + 2;
  if (detail.session.message_count < 2) return null;
  return (
    <div className={classes.timeline}>
      {several && (
        <div className={classes.laneNames} aria-hidden>
          {lanes.map((lane) => (
            <span key={lane ?? ""} title={names.get(lane ?? "") ?? undefined}>
              {names.get(lane ?? "") ?? lane?.slice(-8) ?? "no branch"}
            </span>
          ))}
        </div>
      )}
      <div className={classes.chart} style={{ height }}>
        {data && (
          <>
            <TimelineLanes data={data} lanes={lanes} outline={outline} />
            <Scrubber data={data} lanes={lanes} visibleRange={visibleRange} goTo={goTo} />
          </>
        )}
      </div>
    </div>
  );
}

/** Reads a short run again with every message, and every run at its end. */
function useRefreshed(id: string, count: number, group: string, enabled: boolean): void {
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count and the group say when
  useEffect(() => {
    const key = keys.runTimeline(id);
    if (enabled && queries.getQueryData(key)) void queries.invalidateQueries({ queryKey: key });
  }, [queries, id, count, group, enabled]);
}

interface LanesProps {
  data: TimelineData;
  lanes: (string | null)[];
  outline: Outline | undefined;
}

const TimelineLanes = memo(({ data, lanes, outline }: LanesProps) => {
  const maxMessages = Math.max(1, ...data.blocks.map(({ messages }) => messages));
  const whole = data.width * data.buckets;
  return (
    <>
      <svg
        className={classes.svg}
        viewBox={`0 0 ${data.buckets} ${lanes.length * LANE_HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {data.blocks.map(({ branch_id, bucket, messages }) => {
          const lane = lanes.indexOf(branch_id);
          if (lane < 0) return null;
          const height = 4 + (LANE_HEIGHT - 6) * Math.sqrt(messages / maxMessages);
          return (
            <rect
              key={`${branch_id} ${bucket}`}
              data-lane={lane % 6}
              x={bucket}
              y={lane * LANE_HEIGHT + LANE_HEIGHT - 1 - height}
              width={1.02}
              height={height}
            />
          );
        })}
        {data.start !== null &&
          outline?.errors.map((error) => {
            const { at, branch_id } = error;
            if (at === null || data.start === null || whole <= 0) return null;
            const lane = Math.max(0, lanes.indexOf(branch_id));
            const x = Math.min(data.buckets - 1, ((at - data.start) / whole) * data.buckets);
            return (
              <rect
                key={errorOrd(error)}
                className={classes.error}
                x={x}
                y={lane * LANE_HEIGHT}
                width={1.2}
                height={LANE_HEIGHT}
              />
            );
          })}
      </svg>
      {findGaps(data).map(({ from, to, ms }) => (
        <span key={from} className={classes.gap} style={{ left: percent(from), width: percent(to - from) }}>
          {duration(ms)}
        </span>
      ))}
    </>
  );
});

interface ScrubberProps {
  data: TimelineData;
  lanes: (string | null)[];
  visibleRange: Store<readonly [number, number]>;
  goTo: (ord: number) => void;
}

function Scrubber({ data, lanes, visibleRange, goTo }: ScrubberProps) {
  const [first, last] = useStore(visibleRange);
  const span = spanOf(data, first, last);
  const end = Math.max(0, ...data.blocks.map(({ last_ord }) => last_ord));
  const at = data.start === null || !span ? "" : dateTime(data.start + span.from * data.width * data.buckets);
  const click = (event: MouseEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const lane = lanes[Math.floor((event.clientY - box.top) / LANE_HEIGHT)];
    const ord = ordAt(data, (event.clientX - box.left) / box.width, lane);
    if (ord !== undefined) goTo(ord);
  };
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (step === undefined || !span) return;
    event.preventDefault();
    const ord = ordAt(data, (step < 0 ? span.from : span.to) + step);
    if (ord !== undefined) goTo(ord);
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
          className={classes.visibleRange}
          style={{ left: percent(span.from), width: percent(span.to - span.from) }}
        />
      )}
    </div>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
