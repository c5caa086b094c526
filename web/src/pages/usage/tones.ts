/** The colour of a part by its rank; grey for all others together. */
export function toneOf(rank: number, name: string | null): string {
  return name === null ? "var(--bar-neutral)" : `var(--usage-${rank % 10})`;
}
