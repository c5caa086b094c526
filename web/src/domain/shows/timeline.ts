// A show as a picture: how high its strip is, what stands where in time.

/** The height of the graph strip by the number of plays (ADR-0011). */
export function stripHeight(plays: number): number {
  if (plays <= 4) return 112;
  return plays <= 20 ? 160 : 220;
}

/** Beyond this many plays the strip is panned instead of fitted. */
export const FITS = 20;

interface Timed {
  name: string;
  meta: { started_at?: unknown; ended_at?: unknown };
}

export interface Lane {
  name: string;
  /** Unix seconds; null for a play that has not begun. */
  from: number | null;
  to: number | null;
  going: boolean;
}

/** What ran when: one lane a play, in the order in which they began; what has not begun comes last. */
export function lanes(plays: readonly Timed[], now: number): Lane[] {
  const found = plays.map(({ name, meta }) => {
    const from = seconds(meta.started_at);
    const end = seconds(meta.ended_at);
    const going = from !== null && (end === null || end < from);
    return { name, from, to: from === null ? null : going ? Math.max(now, from) : end, going };
  });
  return found.sort((a, b) => (a.from ?? Number.POSITIVE_INFINITY) - (b.from ?? Number.POSITIVE_INFINITY));
}

/** The first and the last moment of all lanes; null when nothing has begun. */
export function extent(all: readonly Lane[]): [number, number] | null {
  const begun = all.filter((lane) => lane.from !== null);
  if (begun.length === 0) return null;
  const from = Math.min(...begun.map((lane) => lane.from as number));
  const to = Math.max(...begun.map((lane) => lane.to as number));
  return [from, Math.max(to, from + 1)];
}

/** A moment as it may lie in a file: seconds, or a text that says a date. */
export function seconds(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const parsed = Date.parse(value) / 1000;
  return Number.isFinite(parsed) ? parsed : null;
}

export interface PatchLine {
  kind: "file" | "hunk" | "add" | "remove" | "same" | "note";
  text: string;
}

/** The lines of a patch with what each of them is. */
export function patchLines(patch: string): PatchLine[] {
  let inHunk = false;
  return patch.split("\n").map((text) => {
    if (text.startsWith("diff --git ")) inHunk = false;
    if (text.startsWith("@@")) inHunk = true;
    return { kind: kindOf(text, inHunk), text };
  });
}

function kindOf(text: string, inHunk: boolean): PatchLine["kind"] {
  if (text.startsWith("diff --git ")) return "file";
  if (text.startsWith("@@")) return "hunk";
  if (!inHunk || text.startsWith("\\")) return "note";
  if (text.startsWith("+")) return "add";
  return text.startsWith("-") ? "remove" : "same";
}
