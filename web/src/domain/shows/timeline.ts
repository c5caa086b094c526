// The timeline of a show: one lane for each play, one bar for each attempt, and a scale that shortens idle stretches.

export interface Phase {
  kind: "agent" | "gate" | "wait";
  /** Unix seconds; `to` is null while it goes on. */
  from: number;
  to: number | null;
}

export interface Piece {
  from: number;
  to: number;
  /** Percent of the width. */
  left: number;
  width: number;
  /** No agent and no gate ran: the piece is shorter than its time. */
  isIdle: boolean;
}

export interface TimeScale {
  pieces: Piece[];
  percent: (at: number) => number;
}

const IDLE_WIDTH = 5; // percent
const MAX_IDLE_SHARE = 40; // percent of the width, for all idle stretches together

/** Busy time is linear; a stretch without an agent or gate that would be wider than a break becomes a break. */
export function timeScale(phases: readonly Phase[], now: number): TimeScale | null {
  if (phases.length === 0) return null;
  const times = phases.map((phase) => ({ ...phase, to: Math.max(phase.from, phase.to ?? now) }));
  const start = Math.min(...times.map(({ from }) => from));
  const end = Math.max(start + 1, ...times.map(({ to }) => to));
  const busy = union(times.filter(({ kind }) => kind !== "wait"));
  const gaps = gapsBetween(busy, start, end);
  const linear = (end - start) * (IDLE_WIDTH / 100);
  const idle = gaps.filter(({ from, to }) => to - from > linear);
  const share = Math.min(IDLE_WIDTH, MAX_IDLE_SHARE / Math.max(1, idle.length));
  const idleSeconds = idle.reduce((sum, { from, to }) => sum + to - from, 0);
  const perSecond = (100 - share * idle.length) / Math.max(0.001, end - start - idleSeconds);
  const pieces: Piece[] = [];
  let at = start;
  let left = 0;
  const add = (to: number, width: number, isIdle: boolean): void => {
    if (to > at) pieces.push({ from: at, to, left, width, isIdle });
    left += width;
    at = to;
  };
  for (const gap of idle) {
    add(gap.from, (gap.from - at) * perSecond, false);
    add(gap.to, share, true);
  }
  if (at < end) add(end, (end - at) * perSecond, false);
  return { pieces, percent: (time) => percentOf(pieces, time) };
}

function percentOf(pieces: readonly Piece[], time: number): number {
  const piece = pieces.find(({ to }) => time <= to) ?? pieces.at(-1);
  if (!piece) return 0;
  const share = (time - piece.from) / (piece.to - piece.from);
  return piece.left + Math.min(1, Math.max(0, share)) * piece.width;
}

function union(spans: readonly { from: number; to: number }[]): { from: number; to: number }[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

function gapsBetween(busy: readonly { from: number; to: number }[], start: number, end: number) {
  const edges = [{ to: start }, ...busy];
  const following = [...busy, { from: end }];
  return edges
    .map(({ to }, index) => ({ from: to, to: following[index]?.from ?? end }))
    .filter(({ from, to }) => to > from);
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 604800];

/** Round times in the busy pieces, at least `apart` percent from each other, and some way from the end of a piece. */
export function ticks({ pieces }: TimeScale, apart = 9): { at: number; percent: number }[] {
  const busy = pieces.filter(({ isIdle }) => !isIdle);
  const perPercent = Math.max(...busy.map(({ from, to, width }) => (to - from) / Math.max(0.1, width)));
  const step = STEPS.find((seconds) => seconds >= perPercent * apart) ?? 2_592_000;
  const marks: { at: number; percent: number }[] = [];
  for (const piece of busy) {
    for (let at = Math.ceil(piece.from / step) * step; at <= piece.to; at += step) {
      const percent = percentOf(pieces, at);
      if (percent <= piece.left + piece.width - apart * 0.7 && percent - (marks.at(-1)?.percent ?? -apart) >= apart)
        marks.push({ at, percent });
    }
  }
  return marks;
}

/** A time as it occurs in files: unix seconds, or a date as text. */
export function toUnixSeconds(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const parsed = Date.parse(value) / 1000;
  return Number.isFinite(parsed) ? parsed : null;
}
