// Search in every message of every run.
import { IconFile } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useLayoutEffect } from "react";
import { facets } from "@/api/runs";
import { searchFilters } from "@/api/search";
import { TIME_SPANS, toOptions } from "@/domain/runs/filters";
import { releaseKeys } from "@/ui/keyboard/held-keys";
import { type Choice, FilterBar, TextFilter } from "@/ui/list/filter-bar";
import { Page } from "@/ui/page";
import { ModeSelect } from "./mode-select";
import { Results } from "./results";
import { ORDERS, type SearchParams } from "./route";

export function SearchPage() {
  const search = useSearch({ from: "/search" });
  const navigate = useNavigate({ from: "/search" });
  const choices = useChoices(search);
  useLayoutEffect(() => {
    const field = document.querySelector<HTMLInputElement>("main search input");
    field?.focus();
    const keys = releaseKeys();
    // Like typing: the field sends it when the user stops.
    if (keys && field) document.execCommand("insertText", false, keys);
  }, []);
  const change = (name: string, value: string | undefined): void =>
    void navigate({ search: (old) => ({ ...old, [name]: value }), replace: name === "q" || name === "file" });
  return (
    <Page
      title="Search"
      bar={
        <FilterBar
          text={{ value: search.q, placeholder: "Search all messages…" }}
          choices={choices}
          change={change}
          clear={() => void navigate({ search: {} })}
        >
          <TextFilter
            label="File"
            placeholder="File: src/x.py"
            icon={<IconFile size={14} />}
            width={150}
            value={search.file}
            change={(value) => change("file", value)}
          />
          <ModeSelect value={search.mode} change={(value) => change("mode", value)} />
        </FilterBar>
      }
      fill
    >
      <Results search={search} />
    </Page>
  );
}

function useChoices(search: SearchParams): Choice[] {
  const counts = useQuery(facets({})).data;
  const filters = useQuery(searchFilters()).data;
  const runs = (facet: "project" | "agent" | "status"): Choice["options"] =>
    (counts?.[facet] ?? []).map(({ value, runs: count }) => ({ value, count }));
  const plain = (values: string[] | undefined): Choice["options"] => (values ?? []).map((value) => ({ value }));
  return [
    { name: "role", label: "Role", value: search.role, options: plain(filters?.roles) },
    { name: "tool", label: "Tool", value: search.tool, options: plain(filters?.tools) },
    { name: "agent", label: "Agent", value: search.agent, options: runs("agent") },
    { name: "project", label: "Project", value: search.project, options: runs("project") },
    { name: "status", label: "Status", value: search.status, options: runs("status") },
    { name: "within", label: "Time", value: search.within, options: toOptions(TIME_SPANS) },
    { name: "order", label: "Order", value: search.order, options: toOptions(ORDERS) },
    ...(search.run ? [{ name: "run", label: "Run", value: search.run, options: [] }] : []),
  ];
}
