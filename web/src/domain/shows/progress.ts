// Progress of a show: its plays as the parts of a bar. Groups and tones are those of the badges that the API sends.

const GROUPS = [
  { statuses: ["merged"], tone: "success" },
  { statuses: ["running", "redoing"], tone: "info" },
  { statuses: ["running_complete", "gated"], tone: "warning" },
  { statuses: ["gate_failed", "escalated"], tone: "danger" },
];

export function progressOf(counts: Record<string, number>) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = GROUPS.map(({ statuses, tone }) => ({
    tone,
    value: statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0),
  }));
  const grouped = parts.reduce((sum, part) => sum + part.value, 0);
  // The rest (pending, prepared, blocked, aborted) stays empty.
  return { total, merged: counts.merged ?? 0, parts: [...parts, { tone: "none", value: total - grouped }] };
}

/** Where the status of a show was read from. */
export function sourceLabel(source: string): string {
  return source === "sqlite" ? "database" : "folder only";
}
