// Progress of a show: its plays by outcome, as parts of a bar.

export const PLAY_OUTCOMES = [
  { statuses: ["merged"], name: "merged", tone: "success" },
  { statuses: ["running", "redoing"], name: "running", tone: "info" },
  { statuses: ["running_complete", "gated", "prepared"], name: "at the gate", tone: "warning" },
  { statuses: ["gate_failed", "escalated", "blocked"], name: "stuck", tone: "danger" },
] as const;

/** How many plays a show has, how many are merged, and the parts of its bar; the rest of the bar is still to come. */
export function progressOf(counts: Record<string, number>) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = PLAY_OUTCOMES.map(({ statuses, tone, name }) => ({
    tone,
    name,
    value: statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0),
  }));
  const started = parts.reduce((sum, part) => sum + part.value, 0);
  return {
    all: total,
    merged: counts.merged ?? 0,
    parts: [...parts, { tone: "none", name: "to come", value: total - started }],
  };
}
