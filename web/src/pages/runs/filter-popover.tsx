// The popover of the Filter button: the filters at the left, the values of one with their counts at the right.
import { Checkbox, FocusTrap, Popover, Radio, TextInput, UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type ReactElement, useState } from "react";
import { listOf, type RunsSearch, SORTS, type Sort, VALUE_FILTERS, type ValueFilter } from "@/api/run-list/search";
import { type Facets, HEALTH_LABELS } from "@/api/runs";
import { keysOf, TIME_SPANS, type TimeSpan } from "@/domain/runs/filters";
import { compact } from "@/domain/text/format";
import classes from "./filter.module.css";
import { FILTER_NAMES, valueLabel, withoutFilter } from "./filter-names";

export type Pane = ValueFilter | "time" | "sort";
const PANES: [Pane, string][] = [
  ...VALUE_FILTERS.map((name): [Pane, string] => [name, FILTER_NAMES[name]]),
  ["time", "Time"],
  ["sort", "Sort"],
];
const SEARCHABLE = 8;

interface FilterPopoverProps {
  pane: Pane | undefined;
  setPane: (pane: Pane | undefined) => void;
  search: RunsSearch;
  counts: Facets | undefined;
  change: (search: RunsSearch) => void;
  target: ReactElement;
}

export function FilterPopover({ pane, setPane, search, counts, change, target }: FilterPopoverProps) {
  return (
    <Popover
      opened={pane !== undefined}
      onChange={(opened) => !opened && setPane(undefined)}
      position="bottom-start"
      shadow="md"
      radius={8}
      width="min(420px, calc(100vw - 28px))"
      trapFocus
      returnFocus
    >
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown p={0} aria-label="Filters" className={classes.popover}>
        <FocusTrap.InitialFocus />
        <fieldset className={classes.panes} aria-label="Filters">
          {PANES.filter(([name]) => name !== "machine" || hasMachines(search, counts)).map(([name, label]) => (
            <UnstyledButton
              key={name}
              className={classes.paneButton}
              aria-pressed={pane === name}
              onClick={() => setPane(name)}
            >
              {label}
              {isSet(search, name) && <span className={classes.dot} role="img" aria-label="set" />}
            </UnstyledButton>
          ))}
        </fieldset>
        <div className={classes.values}>
          {pane === "time" ? (
            <TimeValues search={search} change={change} />
          ) : pane === "sort" ? (
            <SortValues search={search} change={change} />
          ) : pane ? (
            <FilterValues key={pane} filter={pane} search={search} counts={counts} change={change} />
          ) : null}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** With one machine there is nothing to choose: only a hub has runs of several. */
function hasMachines(search: RunsSearch, counts: Facets | undefined): boolean {
  return search.machine !== undefined || (counts?.machine.length ?? 0) > 1;
}

function isSet(search: RunsSearch, pane: Pane): boolean {
  if (pane === "time") return Boolean(search.within ?? search.since ?? search.until);
  return search[pane] !== undefined;
}

type ValuesProps = Pick<FilterPopoverProps, "search" | "change">;

function FilterValues(props: ValuesProps & { filter: ValueFilter; counts: Facets | undefined }) {
  const { filter, search, counts, change } = props;
  const [typed, setTyped] = useState("");
  const chosen = listOf(search[filter]);
  const counted = counts?.[filter] ?? [];
  const known = filter === "health" ? keysOf(HEALTH_LABELS) : counted.map(({ value }) => value);
  // A chosen value stays, though no run may have it now.
  const all = [...new Set([...known, ...chosen])].map((value) => ({
    value,
    label: valueLabel(filter, value, counts),
    count: counted.find((count) => count.value === value),
  }));
  const shown = all.filter(({ value, label }) => `${label} ${value}`.toLowerCase().includes(typed.toLowerCase()));
  const toggle = (value: string): void => {
    const next = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
    const [first] = next;
    if (first === undefined) change(withoutFilter(search, filter));
    else change({ ...search, [filter]: next.length === 1 ? first : next });
  };
  return (
    <>
      {all.length > SEARCHABLE && (
        <TextInput
          className={classes.find}
          aria-label={`Find ${FILTER_NAMES[filter]}`}
          placeholder="Find…"
          leftSection={<IconSearch size={13} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <fieldset className={classes.options} aria-label={FILTER_NAMES[filter]}>
        {shown.map(({ value, label, count }) => (
          <Checkbox
            key={value}
            size="xs"
            classNames={{ body: classes.option, labelWrapper: classes.optionLabel }}
            checked={chosen.includes(value)}
            onChange={() => toggle(value)}
            label={
              <span className={classes.optionText} title={value}>
                <span className={classes.optionName}>{label}</span>
                <span className={classes.count}>{count ? `${compact(count.runs)}${count.more ? "+" : ""}` : ""}</span>
              </span>
            }
          />
        ))}
        {shown.length === 0 && (
          <p className="muted">{counts === undefined && known.length === 0 ? "Counting…" : "No values"}</p>
        )}
      </fieldset>
    </>
  );
}

function TimeValues({ search, change }: ValuesProps) {
  const { within, since, until, ...rest } = search;
  const day = (at: number | undefined): string =>
    at === undefined
      ? ""
      : new Date(at * 1000 - new Date(at * 1000).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  const pick = (name: "since" | "until", text: string): void => {
    const at = text === "" ? undefined : new Date(`${text}T00:00:00`).getTime() / 1000;
    const times = { since, until, [name]: at !== undefined && Number.isFinite(at) ? at : undefined };
    change({ ...rest, ...Object.fromEntries(Object.entries(times).filter(([, value]) => value !== undefined)) });
  };
  return (
    <div className={classes.options}>
      <Radio.Group
        aria-label="Time"
        value={within ?? (since === undefined && until === undefined ? "any" : "")}
        onChange={(value) => change(value === "any" ? rest : { ...rest, within: value as TimeSpan })}
      >
        {[["any", { label: "Any time" }] as const, ...Object.entries(TIME_SPANS)].map(([key, { label }]) => (
          <Radio key={key} size="xs" value={key} label={label} classNames={{ body: classes.option }} />
        ))}
      </Radio.Group>
      <TextInput
        type="date"
        label="Since"
        value={day(since)}
        onChange={(event) => pick("since", event.currentTarget.value)}
      />
      <TextInput
        type="date"
        label="Until"
        value={day(until)}
        onChange={(event) => pick("until", event.currentTarget.value)}
      />
    </div>
  );
}

function SortValues({ search, change }: ValuesProps) {
  const { sort = "created", order = "desc", ...rest } = search;
  return (
    <div className={classes.options}>
      <Radio.Group aria-label="Sort by" value={sort} onChange={(value) => change({ ...search, sort: value as Sort })}>
        {Object.entries(SORTS).map(([key, label]) => (
          <Radio key={key} size="xs" value={key} label={label} classNames={{ body: classes.option }} />
        ))}
      </Radio.Group>
      <Checkbox
        size="xs"
        mt={6}
        label="Smallest or oldest first"
        checked={order === "asc"}
        onChange={() => change({ ...rest, sort, order: order === "asc" ? "desc" : "asc" })}
      />
    </div>
  );
}
