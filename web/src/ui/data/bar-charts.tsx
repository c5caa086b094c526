// Bar charts without a library, which would be larger than the rest of the page.
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./bar-charts.module.css";

export interface Bar {
  key: string | number;
  label: string;
  /** Stacked from the bottom up. */
  parts: { tone: string; name: string; value: number }[];
  /** Additional content of the tooltip. */
  more?: ReactNode;
}

export function StackedBars({ bars, label, height = 96 }: { bars: Bar[]; label: string; height?: number }) {
  const sum = (bar: Bar): number => bar.parts.reduce((all, part) => all + part.value, 0);
  const highest = Math.max(1, ...bars.map(sum));
  return (
    <div>
      {/* One accessible name for the chart; the numbers are in the legend and the tooltips. */}
      <div className={classes.bars} style={{ height }} role="img" aria-label={label}>
        {bars.map((bar) => (
          <Tooltip key={bar.key} label={<BarTooltip bar={bar} />} openDelay={0}>
            <div className={classes.bar}>
              {bar.parts.map((part) => (
                <div
                  key={part.name}
                  className={classes.segment}
                  style={{
                    height: `${(part.value / highest) * 100}%`,
                    background: `var(--bar-${part.tone})`,
                  }}
                />
              ))}
            </div>
          </Tooltip>
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        <span>{bars[0]?.label}</span>
        <span>{bars[Math.floor(bars.length / 2)]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
    </div>
  );
}

function BarTooltip({ bar }: { bar: Bar }) {
  const parts = bar.parts.filter((part) => part.value > 0);
  return (
    <div>
      <b>{bar.label}</b>
      {parts.length === 0 && <div>none</div>}
      {parts.map((part) => (
        <div key={part.name}>
          {part.value} {part.name}
        </div>
      ))}
      {bar.more}
    </div>
  );
}
