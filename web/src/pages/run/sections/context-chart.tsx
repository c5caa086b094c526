// The context over the run, a line for each branch; the highest point leads to its message.
import { UnstyledButton } from "@mantine/core";
import { compact, formatInteger } from "@/domain/text/format";
import { contextCurves, peakOf } from "@/domain/transcript/context-curve";
import type { Outline } from "@/domain/transcript/outline";
import charts from "./overview.module.css";
import classes from "./sections.module.css";

const WIDTH = 300;
const HEIGHT = 56;
const MAX_POINTS = 150;

interface ContextChartProps {
  outline: Outline;
  /** The branches in the order of their colours. */
  branches: readonly string[];
  goTo: (ord: number) => void;
}

export function ContextChart({ outline, branches, goTo }: ContextChartProps) {
  const curves = contextCurves(outline, MAX_POINTS);
  const peak = peakOf(curves);
  if (!peak || outline.contexts.length < 2) return null;
  const last = Math.max(1, outline.last_ord ?? 1);
  const path = (points: { ord: number; tokens: number }[]): string =>
    points.map(({ ord, tokens }) => `${(ord / last) * WIDTH},${HEIGHT - (tokens / peak.tokens) * HEIGHT}`).join(" ");
  return (
    <>
      <h3 className={classes.subheading}>Context</h3>
      <svg
        className={charts.curve}
        viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Context by message, at most ${formatInteger(peak.tokens)} tokens`}
      >
        {curves.map(({ branch, points }) => (
          <polyline key={branch} data-lane={Math.max(0, branches.indexOf(branch ?? "")) % 6} points={path(points)} />
        ))}
      </svg>
      <p className={charts.chartNote}>
        at most {compact(peak.tokens)} tokens{" "}
        <UnstyledButton className={classes.after} onClick={() => goTo(peak.ord)}>
          at #{peak.ord}
        </UnstyledButton>
      </p>
    </>
  );
}
