// Formats numbers and times. Times are unix seconds, money is microdollars.

const UNITS: [number, string][] = [
  [86400 * 365, "y"],
  [86400 * 30, "mo"],
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
];

/** "3 min ago", "in 2 h", "now". */
export function ago(at: number, now: number): string {
  const seconds = now - at;
  if (Math.abs(seconds) < 5) return "now";
  const text = span(Math.abs(seconds));
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

function span(seconds: number): string {
  for (const [size, unit] of UNITS) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return `${Math.floor(seconds)} s`;
}

/** "250 ms", "4.2 s", "3 min 20 s", "2 h 05 min", "3 d 4 h". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** "$0.0042", "$1.27", "$1,204". */
export function cost(microusd: number): string {
  const dollars = microusd / 1e6;
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return `$${dollars.toPrecision(2)}`;
  return dollars < 100 ? `$${dollars.toFixed(2)}` : `$${Math.round(dollars).toLocaleString("en-US")}`;
}

/** "847", "12.4k", "3.1M". */
export function compact(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${trim(count / 1e3)}k`;
  return count < 999_950_000 ? `${trim(count / 1e6)}M` : `${trim(count / 1e9)}B`;
}

/** "12,408". */
export function formatInteger(count: number): string {
  return count.toLocaleString("en-US");
}

/** "512 B", "1.4 kB", "88 MB". */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const power = Math.min(4, Math.floor(Math.log10(count) / 3));
  return `${trim(count / 1000 ** power)} ${["B", "kB", "MB", "GB", "TB"][power]}`;
}

/** "1 run", "4 runs". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatInteger(count)} ${count === 1 ? one : many}`;
}

// Created once: creating it takes longer than rendering a row.
const DATE_TIME = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

/** Date and time in the user's time zone, which it names. */
export function dateTime(at: number): string {
  const date = new Date(at * 1000);
  if (Number.isNaN(date.getTime())) return "unknown time";
  return DATE_TIME.format(date);
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const CLOCK_SECONDS = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** "07:31", in the user's time zone. */
export function clockTime(at: number, withSeconds = false): string {
  return (withSeconds ? CLOCK_SECONDS : CLOCK).format(new Date(at * 1000));
}

function trim(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, "");
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
