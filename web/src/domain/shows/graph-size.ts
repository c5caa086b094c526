// Size of the dependency graph panel (ADR-0011).

/** The height of the graph strip by the number of plays (ADR-0011). */
export function graphHeight(plays: number): number {
  if (plays <= 4) return 112;
  return plays <= 20 ? 160 : 220;
}

/** Beyond this many plays the strip is panned instead of fitted. */
export const MAX_FITTED_PLAYS = 20;
