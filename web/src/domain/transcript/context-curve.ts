// The size of the context over a run: how much the model read for each message, a curve for each branch.
import type { Outline } from "./outline";

export interface ContextPoint {
  ord: number;
  tokens: number;
}

export interface ContextCurve {
  branch: string | null;
  points: ContextPoint[];
}

export function contextCurves({ contexts, lanes }: Pick<Outline, "contexts" | "lanes">, most: number): ContextCurve[] {
  const curves = new Map<string | null, ContextPoint[]>();
  let lane = -1;
  for (const point of contexts) {
    while ((lanes[lane + 1]?.ord ?? Number.POSITIVE_INFINITY) <= point.ord) lane++;
    const branch = lanes[lane]?.branch_id ?? null;
    const points = curves.get(branch);
    if (points) points.push(point);
    else curves.set(branch, [point]);
  }
  return [...curves].map(([branch, points]) => ({ branch, points: thinned(points, most) }));
}

/** At most this many points: the highest one of each stretch, so that no peak is lost. */
function thinned(points: ContextPoint[], most: number): ContextPoint[] {
  if (points.length <= most) return points;
  const length = Math.ceil(points.length / most);
  return Array.from({ length: Math.ceil(points.length / length) }, (_, index) => {
    const stretch = points.slice(index * length, (index + 1) * length);
    return stretch.reduce((high, point) => (point.tokens > high.tokens ? point : high));
  });
}

export function peakOf(curves: readonly ContextCurve[]): ContextPoint | undefined {
  const points = curves.flatMap((curve) => curve.points);
  return points.length === 0 ? undefined : points.reduce((high, point) => (point.tokens > high.tokens ? point : high));
}
