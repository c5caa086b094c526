// What the page shows: range, measure, stack, and the filters that a link brought.
import { Pill, SegmentedControl, TextInput } from "@mantine/core";
import { MEASURES, RANGES, type Range, STACKS, sinceText } from "@/domain/usage/usage";
import { useNow } from "@/ui/data/use-now";
import type { UsageSearch } from "./route";
import classes from "./usage.module.css";

const CUSTOM = "custom";
const FILTERS = ["model", "project", "agent", "show"] as const;
const DAY = 86_400;

interface ControlsProps {
  search: UsageSearch;
  change: (changes: UsageSearch) => void;
}

export function Controls({ search, change }: ControlsProps) {
  const isCustom = search.since !== undefined;
  const now = new Date(useNow() * 1000);
  const setRange = (value: string): void => {
    if (value !== CUSTOM) change({ range: value as Range, since: undefined, until: undefined });
    else change({ range: undefined, since: midnight(-29), until: midnight(1) });
  };
  return (
    <div className={classes.controls}>
      <SegmentedControl
        size="xs"
        aria-label="Range"
        data={[...options(RANGES), { value: CUSTOM, label: "Custom" }]}
        value={isCustom ? CUSTOM : (search.range ?? "7d")}
        onChange={setRange}
      />
      {isCustom && (
        <>
          <DateInput label="First day" at={search.since} set={(since) => change({ since })} />
          <DateInput
            label="Last day"
            at={search.until === undefined ? undefined : search.until - DAY / 2}
            set={(day) => change({ until: nextDay(day) })}
          />
        </>
      )}
      <SegmentedControl
        size="xs"
        aria-label="Measure"
        data={options(MEASURES)}
        value={search.measure ?? "cost"}
        onChange={(measure) => change({ measure: measure as UsageSearch["measure"] })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Stacked by"
        data={options(STACKS)}
        value={search.stack ?? "model"}
        onChange={(stack) => change({ stack: stack as UsageSearch["stack"] })}
      />
      {FILTERS.filter((name) => search[name] !== undefined).map((name) => (
        <Pill
          key={name}
          withRemoveButton
          onRemove={() => change({ [name]: undefined })}
          removeButtonProps={{ "aria-label": `Remove the filter ${name}`, "aria-hidden": false, tabIndex: 0 }}
        >
          {name}: {search[name]}
        </Pill>
      ))}
      {!isCustom && <span className="muted">{sinceText(search.range ?? "7d", now)}</span>}
    </div>
  );
}

function DateInput({ label, at, set }: { label: string; at?: number; set: (at: number) => void }) {
  return (
    <TextInput
      type="date"
      size="xs"
      aria-label={label}
      value={at === undefined ? "" : isoDay(at)}
      onChange={({ currentTarget: { value } }) => {
        const date = new Date(`${value}T00:00`);
        if (!Number.isNaN(date.getTime())) set(date.getTime() / 1000);
      }}
    />
  );
}

function options(labels: Record<string, string>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** A day as the input has it, in the user's time zone. */
function isoDay(at: number): string {
  const date = new Date(at * 1000);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

function midnight(days: number): number {
  const date = new Date();
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime() / 1000;
}

function nextDay(at: number): number {
  const date = new Date(at * 1000);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime() / 1000;
}
