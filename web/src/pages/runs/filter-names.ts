// The names of the filters, and the text of their values.
import { listOf, type RunsSearch, VALUE_FILTERS, type ValueFilter } from "@/api/run-list/search";
import { CARD_LABELS, type Facets, HEALTH_LABELS } from "@/api/runs";
import { TIME_SPANS } from "@/domain/runs/filters";
import { modelName } from "@/domain/runs/model-name";
import { dateTime } from "@/domain/text/format";

export const FILTER_NAMES: Record<ValueFilter, string> = {
  status: "Status",
  health: "Health",
  kind: "Kind",
  source: "Source",
  project: "Project",
  agent: "Agent",
  playbook: "Playbook",
  show: "Show",
  model: "Model",
  tag: "Tag",
  machine: "Machine",
};

/** The text of a value for people. */
export function valueLabel(filter: ValueFilter, value: string, counts: Facets | undefined): string {
  if (filter === "health") return HEALTH_LABELS[value as keyof typeof HEALTH_LABELS] ?? value;
  if (filter === "model") return modelName(value);
  if (filter === "tag" && value === "starred") return "Starred";
  const label = counts?.[filter]?.find((count) => count.value === value)?.label;
  return label ?? (["status", "kind", "source"].includes(filter) ? value.replace(/[_-]/g, " ") : value);
}

/** A filter that is set, as a chip shows it. */
export interface SetFilter {
  name: keyof RunsSearch;
  label: string;
  text: string;
}

export function setFilters(search: RunsSearch, counts: Facets | undefined): SetFilter[] {
  const set: SetFilter[] = [];
  if (search.card) set.push({ name: "card", label: "View", text: CARD_LABELS[search.card] });
  for (const name of VALUE_FILTERS) {
    const values = listOf(search[name]).map((value) => valueLabel(name, value, counts));
    if (values.length > 0) set.push({ name, label: FILTER_NAMES[name], text: shortList(values) });
  }
  if (search.within) set.push({ name: "within", label: "Time", text: TIME_SPANS[search.within].label });
  if (search.since !== undefined) set.push({ name: "since", label: "Since", text: dateTime(search.since) });
  if (search.until !== undefined) set.push({ name: "until", label: "Until", text: dateTime(search.until) });
  return set;
}

function shortList(values: string[]): string {
  if (values.length <= 3) return values.join(" or ");
  return `${values.slice(0, 2).join(", ")} or ${values.length - 2} more`;
}

/** The search without one filter. */
export function withoutFilter(search: RunsSearch, name: keyof RunsSearch): RunsSearch {
  const { [name]: _, ...rest } = search;
  return rest;
}
