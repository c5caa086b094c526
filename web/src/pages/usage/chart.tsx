// Stacked bars with an axis and a legend. Arrow keys move over the bars, Enter opens the runs of one; the table below
// has the same numbers.
import { Tooltip } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useRef, useState } from "react";
import type { UsageReport } from "@/api/usage";
import {
  amountOf,
  amountText,
  axisMarks,
  bucketTitle,
  formatValue,
  type Measure,
  partName,
  type Stack,
} from "@/domain/usage/usage";
import { toneOf } from "./tones";
import classes from "./usage.module.css";

type Bucket = UsageReport["buckets"][number];

interface ChartProps {
  data: UsageReport;
  measure: Measure;
  stack: Stack;
}

export function UsageChart({ data, measure, stack }: ChartProps) {
  const navigate = useNavigate();
  const bars = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(data.buckets.length - 1);
  const current = Math.min(active, data.buckets.length - 1);
  const ranks = new Map(data.parts.map((part, index) => [part.name, index]));
  const rank = (name: string | null): number => ranks.get(name) ?? 0;
  const tone = (name: string | null): string => toneOf(rank(name), name);
  const isTime = measure === "time" || measure === "waiting";
  const marks = axisMarks(Math.max(...data.buckets.map((bucket) => amountOf(bucket, measure))), isTime ? 60 : 10);
  const top = marks.at(-1) ?? 1;
  const open = ({ at, until }: Bucket): void =>
    void navigate({ to: "/runs", search: { since: Math.floor(at), until: Math.ceil(until) } });
  const move = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: Infinity };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(data.buckets.length - 1, target));
    setActive(next);
    bars.current?.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div>
      <div className={classes.chart}>
        <div className={classes.marks} aria-hidden>
          {marks.map((mark) => (
            <span key={mark} style={{ bottom: `${(mark / top) * 100}%` }}>
              {formatValue(mark, measure).replace(" 00 min", "")}
            </span>
          ))}
        </div>
        <div className={classes.plot}>
          {marks.map((mark) => (
            <div key={mark} className={classes.rule} style={{ bottom: `${(mark / top) * 100}%` }} />
          ))}
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
          <div ref={bars} className={classes.bars} role="group" aria-label="Usage over time" onKeyDown={move}>
            {data.buckets.map((bucket, index) => (
              <Tooltip
                key={bucket.at}
                label={<BarTooltip {...{ bucket, measure, stack, by: data.by }} />}
                events={{ hover: true, focus: true, touch: true }}
              >
                <button
                  type="button"
                  className={classes.bar}
                  tabIndex={index === current ? 0 : -1}
                  aria-label={barLabel(bucket, measure, data.by)}
                  onFocus={() => setActive(index)}
                  onClick={() => open(bucket)}
                >
                  {bucket.parts
                    .toSorted((a, b) => rank(a.name) - rank(b.name))
                    .map((part) => (
                      <span
                        key={part.name ?? "\0others"}
                        style={{ height: `${(amountOf(part, measure) / top) * 100}%`, background: tone(part.name) }}
                      />
                    ))}
                </button>
              </Tooltip>
            ))}
          </div>
        </div>
      </div>
      <div className={classes.times} aria-hidden>
        {timeLabels(data).map((label, index) => (
          <span key={index}>{label}</span>
        ))}
      </div>
      <ul className={classes.legend} aria-label="Legend">
        {data.parts.map((part) => (
          <li key={part.name ?? "\0others"}>
            <i className={classes.key} style={{ background: tone(part.name) }} /> {partName(part.name, stack)}{" "}
            <span className="muted">{amountText(part, measure)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function barLabel(bucket: Bucket, measure: Measure, by: string): string {
  return `${bucketTitle(bucket.at, by)}: ${formatValue(amountOf(bucket, measure), measure)}, open its runs`;
}

function timeLabels({ buckets, by }: UsageReport): string[] {
  const at = (index: number): string => (buckets[index] ? bucketTitle(buckets[index].at, by) : "");
  return [at(0), at(Math.floor(buckets.length / 2)), at(buckets.length - 1)];
}

function BarTooltip({ bucket, measure, stack, by }: { bucket: Bucket; measure: Measure; stack: Stack; by: string }) {
  const parts = bucket.parts.filter((part) => amountOf(part, measure) > 0);
  return (
    <div>
      <b>{bucketTitle(bucket.at, by)}</b> {formatValue(amountOf(bucket, measure), measure)}
      {parts.map((part) => (
        <div key={part.name ?? "\0others"}>
          {formatValue(amountOf(part, measure), measure)} {partName(part.name, stack)}
        </div>
      ))}
    </div>
  );
}
