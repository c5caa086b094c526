// The filter bar of the runs, with a count for each value. The address holds the filters.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CARD_LABELS, type Facets, facets, HEALTH_LABELS } from "@/api/runs";
import { TIME_SPANS, toOptions } from "@/domain/runs/filters";
import { sourceName } from "@/domain/runs/source-name";
import { type Choice, FilterBar } from "@/ui/list/filter-bar";
import { apiFilters } from "./api-filters";
import type { RunsSearch } from "./route";

const FACETS = ["status", "kind", "source", "project", "agent", "playbook"] as const;

export function RunsFilter({ search }: { search: RunsSearch }) {
  const navigate = useNavigate({ from: "/runs" });
  const counts = useQuery(facets(apiFilters(search))).data;
  const change = (name: string, value: string | undefined): void =>
    void navigate({
      search: (old) => ({ ...old, [name]: value }),
      // Otherwise each typed letter would be a step in the history.
      replace: name === "q",
    });
  return (
    <FilterBar
      text={{ value: search.q, placeholder: "Filter by name, agent, project…" }}
      choices={choicesOf(search, counts)}
      change={change}
      clear={() => void navigate({ search: {} })}
    />
  );
}

function choicesOf(search: RunsSearch, counts: Facets | undefined): Choice[] {
  return [
    ...(search.card ? [{ name: "card", label: "View", value: search.card, options: toOptions(CARD_LABELS) }] : []),
    ...FACETS.map((name) => ({
      name,
      label: `${name[0]?.toUpperCase()}${name.slice(1)}`,
      value: search[name],
      options: (counts?.[name] ?? []).map(({ value, runs }) => ({
        value,
        label: name === "source" ? sourceName(value) : value.replaceAll("_", " "),
        count: runs,
      })),
    })),
    { name: "health", label: "Health", value: search.health, options: toOptions(HEALTH_LABELS) },
    { name: "within", label: "Time", value: search.within, options: toOptions(TIME_SPANS) },
  ];
}
