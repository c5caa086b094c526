// Size of the dependency graph panel (ADR-0011).

/** The height of the panel in pixels. */
export function graphHeight(plays: number): number {
  if (plays <= 4) return 112;
  return plays <= 20 ? 160 : 220;
}

/** A larger graph is panned instead of fitted into the panel. */
export const MAX_FITTED_PLAYS = 20;
