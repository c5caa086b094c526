// The timeline of a show: a lane for each play, a bar for each attempt. Idle stretches are shorter than their time.
import { Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type PlayBars, type Show, showTimeline } from "@/api/shows";
import { type Phase, type TimeScale, ticks, timeScale } from "@/domain/shows/timeline";
import { clockTime, dateTime, duration, plural } from "@/domain/text/format";
import { useNow } from "@/ui/data/use-now";
import { TextLink } from "@/ui/link";
import { Panel } from "@/ui/page";
import type { PlayLinkProps } from "./graph-panel";
import classes from "./timeline.module.css";

type Bar = PlayBars["attempts"][number];

const WORDS_APART = 45; // percent of a narrow track, for the words of a tick

const KINDS: Record<Phase["kind"], string> = { agent: "agent", gate: "gates", wait: "waits for you" };

export function Timeline(props: PlayLinkProps) {
  const { show } = props;
  const lanes = useQuery(showTimeline(show.topic)).data?.plays ?? [];
  const phases = lanes.flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.phases));
  const isLive = phases.some(({ to }) => to === null);
  const now = useNow(isLive);
  const scale = timeScale(phases, now);
  if (scale === null) return null;
  const from = scale.pieces[0]?.from ?? now;
  const to = scale.pieces.at(-1)?.to ?? now;
  const missing = show.plays.length - lanes.length;
  return (
    <section className={classes.section} aria-label="Timeline">
      <div className={classes.header}>
        <h2>Timeline</h2>
        <span>
          {duration((to - from) * 1000)} from {dateTime(from)}
        </span>
        <Legend hasBreak={scale.pieces.some(({ isIdle }) => isIdle)} />
      </div>
      <Panel className={classes.panel}>
        <Axis scale={scale} from={from} to={to} />
        {lanes.map((lane) => (
          <Lane key={lane.name} lane={lane} scale={scale} now={now} {...props} />
        ))}
        {missing > 0 && (
          <div className={classes.notStarted}>{plural(missing, "play has", "plays have")} not started</div>
        )}
      </Panel>
    </section>
  );
}

function Legend({ hasBreak }: { hasBreak: boolean }) {
  return (
    <ul className={classes.legend} aria-label="Legend">
      {(["agent", "gate", "wait"] as const).map((kind) => (
        <li key={kind}>
          <span className={classes.sample} data-kind={kind} data-tone="info" aria-hidden />
          {KINDS[kind]}
        </li>
      ))}
      {hasBreak && (
        <li>
          <span className={classes.sample} data-kind="break" aria-hidden />
          idle, shortened
        </li>
      )}
    </ul>
  );
}

function Axis({ scale, from, to }: { scale: TimeScale; from: number; to: number }) {
  const isNarrow = useMediaQuery("(max-width: 640px)", undefined, { getInitialValueInEffect: false });
  const withSeconds = scale.pieces.filter(({ isIdle }) => !isIdle).every((piece) => piece.to - piece.from < 600);
  return (
    <div className={classes.axis} role="img" aria-label={`From ${dateTime(from)} to ${dateTime(to)}`}>
      {ticks(scale, isNarrow ? WORDS_APART : undefined).map(({ at, percent }) => (
        <span key={at} className={classes.tick} style={{ left: `${percent}%` }}>
          {clockTime(at, withSeconds)}
        </span>
      ))}
      {scale.pieces
        .filter(({ isIdle }) => isIdle)
        .map((piece) => (
          <Tooltip key={piece.from} label={`Idle for ${duration((piece.to - piece.from) * 1000)}`}>
            <span className={classes.break} style={{ left: `${piece.left}%`, width: `${piece.width}%` }}>
              {shortDuration(piece.to - piece.from)}
            </span>
          </Tooltip>
        ))}
    </div>
  );
}

/** The larger unit alone: a break is narrow. */
function shortDuration(seconds: number): string {
  return duration(seconds * 1000).replace(/(\D+) \d.*$/, "$1");
}

interface LaneProps extends PlayLinkProps {
  lane: PlayBars;
  scale: TimeScale;
  now: number;
}

function Lane({ lane, scale, now, show, marked, hover, open }: LaneProps) {
  const isCritical = show.critical_path.includes(lane.name);
  const all = lane.attempts.flatMap(({ phases }) => phases).filter(({ kind }) => kind !== "wait");
  const worked = all.reduce((sum, phase) => sum + lengthOf(phase, now), 0);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only highlights; the name is the button
    <div
      className={classes.lane}
      data-marked={lane.name === marked}
      onMouseEnter={() => hover(lane.name)}
      onMouseLeave={() => hover(undefined)}
    >
      <button
        type="button"
        className={classes.laneName}
        data-critical={isCritical}
        title={lane.name}
        onClick={() => open(lane.name)}
      >
        {lane.name}
      </button>
      <div className={classes.track}>
        {scale.pieces
          .filter(({ isIdle }) => isIdle)
          .map((piece) => (
            <span
              key={piece.from}
              className={classes.laneBreak}
              style={{ left: `${piece.left}%`, width: `${piece.width}%` }}
            />
          ))}
        {lane.attempts.map((bar, index) => (
          <AttemptBar
            key={bar.attempt}
            name={lane.name}
            bar={bar}
            tone={toneOf(show, lane, index)}
            scale={scale}
            now={now}
          />
        ))}
      </div>
      <span className={classes.duration}>{duration(worked * 1000)}</span>
    </div>
  );
}

/** Only the last attempt can have succeeded. */
function toneOf(show: Show, { name, attempts }: PlayBars, index: number): string {
  if (index < attempts.length - 1 || attempts[index]?.failed) return "danger";
  return show.plays.find((play) => play.name === name)?.badges[0]?.tone ?? "neutral";
}

function lengthOf({ from, to }: Phase, now: number): number {
  return Math.max(0, (to ?? now) - from);
}

interface BarProps {
  name: string;
  bar: Bar;
  tone: string;
  scale: TimeScale;
  now: number;
}

function AttemptBar({ name, bar, tone, scale, now }: BarProps) {
  const { percent } = scale;
  const left = percent(bar.phases[0]?.from ?? now);
  const right = Math.max(...bar.phases.map(({ to }) => percent(to ?? now)));
  const width = Math.max(0.01, right - left);
  const words = describe(name, bar, now);
  const parts = bar.phases.map(({ kind, from, to }, index) => (
    <span
      key={index}
      className={classes.phase}
      data-kind={kind}
      style={{
        left: `${((percent(from) - left) / width) * 100}%`,
        width: `${((percent(to ?? now) - percent(from)) / width) * 100}%`,
      }}
    />
  ));
  const shared = {
    className: classes.bar ?? "",
    "data-tone": tone,
    "data-going": bar.phases.some(({ to }) => to === null),
    style: { left: `${left}%`, width: `max(4px, ${width}%)` },
    "aria-label": words,
  };
  return (
    <Tooltip label={words} events={{ hover: true, focus: true, touch: true }} multiline maw={320}>
      {bar.session_id ? (
        <TextLink to="/runs/$runId" params={{ runId: bar.session_id }} {...shared}>
          {parts}
        </TextLink>
      ) : (
        <span role="img" {...shared}>
          {parts}
        </span>
      )}
    </Tooltip>
  );
}

/** "bench, attempt 1: agent 1.9 s, gates 0.7 s, waits for you 3 min". */
function describe(name: string, { attempt, phases, failed, host }: Bar, now: number): string {
  const lengths = (["agent", "gate", "wait"] as const).map((kind) => {
    const seconds = phases.filter((phase) => phase.kind === kind).reduce((sum, phase) => sum + lengthOf(phase, now), 0);
    return seconds > 0 ? `${KINDS[kind]} ${duration(seconds * 1000)}` : "";
  });
  const facts = [...lengths, failed ? "run failed" : "", host ? `on ${host}` : ""].filter(Boolean);
  return `${name}, attempt ${attempt}: ${facts.join(", ")}`;
}
