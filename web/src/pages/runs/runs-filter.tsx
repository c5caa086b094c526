// The bar of filters of the runs, each choice with how many it would leave; all of it is in the address.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Facets, facets } from "@/api/runs";
import { type Choice, FilterBar } from "@/ui/list/filter-bar";
import { apiFilters, WITHIN } from "./api-filters";
import type { RunsSearch } from "./route";

const HEALTHS: Record<string, string> = {
  waiting: "waits for you",
  idle: "idle",
  stale: "stale",
  process_dead: "process dead",
  orphaned: "orphaned",
};
const SPANS: Record<string, string> = {
  "1h": "Last hour",
  "24h": "Last day",
  "7d": "Last week",
  "30d": "Last month",
};
const CARDS: Record<string, string> = {
  running: "Running",
  failed_24h: "Failed, 24 h",
  slow: "Slow",
  stale: "Stale",
  needs_review: "Needs review",
};
const FACET_NAMES = ["status", "kind", "source", "project", "agent", "playbook"] as const;

export function RunsFilter({ search }: { search: RunsSearch }) {
  const navigate = useNavigate({ from: "/runs" });
  const counts = useQuery(facets(apiFilters(search))).data;
  const change = (name: string, value: string | undefined): void =>
    void navigate({
      search: (old) => ({ ...old, [name]: value }),
      // Each letter of a text would be a step back otherwise.
      replace: name === "q",
    });
  return (
    <FilterBar
      text={{ value: search.q, placeholder: "Filter by name, project, id…" }}
      choices={choicesOf(search, counts)}
      change={change}
      clear={() => void navigate({ search: {} })}
    />
  );
}

function choicesOf(search: RunsSearch, counts: Facets | undefined): Choice[] {
  return [
    ...(search.card ? [{ name: "card", label: "View", value: search.card, options: toOptions(CARDS) }] : []),
    ...FACET_NAMES.map((name) => ({
      name,
      label: `${name[0]?.toUpperCase()}${name.slice(1)}`,
      value: search[name],
      options: (counts?.[name] ?? []).map(({ value, runs }) => ({
        value,
        label: value.replace("_", " "),
        count: runs,
      })),
    })),
    { name: "health", label: "Health", value: search.health, options: toOptions(HEALTHS) },
    {
      name: "within",
      label: "Time",
      value: search.within,
      options: Object.keys(WITHIN).map((value) => ({ value, label: SPANS[value] })),
    },
  ];
}

function toOptions(labels: Record<string, string>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
