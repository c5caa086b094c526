// Search in every message of every run.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useLayoutEffect } from "react";
import { facets } from "@/api/runs";
import { MAX_HITS, searchHits } from "@/api/search";
import { spanStart, TIME_SPANS, toOptions } from "@/domain/runs/filters";
import { plural } from "@/domain/text/format";
import { EmptyState, ErrorState, LoadingLine } from "@/ui/feedback/placeholders";
import { type Choice, FilterBar } from "@/ui/list/filter-bar";
import { Page } from "@/ui/page";
import { Hits } from "./hits";
import { MODES, ORDERS, type SearchParams } from "./route";
import classes from "./search.module.css";

export function SearchPage() {
  const search = useSearch({ from: "/search" });
  const navigate = useNavigate({ from: "/search" });
  const projects = useQuery(facets({})).data?.project ?? [];
  useLayoutEffect(() => {
    document.querySelector<HTMLInputElement>("main search input")?.focus();
  }, []);
  return (
    <Page
      title="Search"
      bar={
        <FilterBar
          text={{ value: search.q, placeholder: "Search all messages…" }}
          choices={choicesOf(
            search,
            projects.map(({ value, runs }) => ({ value, count: runs })),
          )}
          change={(name, value) =>
            void navigate({ search: (old) => ({ ...old, [name]: value }), replace: name === "q" })
          }
          clear={() => void navigate({ search: {} })}
        />
      }
      fill
    >
      <Results search={search} />
    </Page>
  );
}

function Results({ search }: { search: SearchParams }) {
  const { q = "", mode = "words", order, project, run, within } = search;
  const since = within && spanStart(within);
  const query = useQuery(searchHits({ q, mode, ranked: order === "best", project, session: run, since }));
  if (q === "")
    return (
      <EmptyState title="Search all messages">Finds prompts, answers, tool calls and results of every run.</EmptyState>
    );
  if (query.error && !query.data)
    return <ErrorState error={query.error} label="Results" retry={() => void query.refetch()} />;
  if (!query.data) return <LoadingLine label="results" />;
  const { hits } = query.data;
  if (hits.length === 0)
    return <EmptyState title="No messages match">Try fewer words, or clear the filters.</EmptyState>;
  return (
    <>
      <div className={classes.count} role="status" data-old={query.isPlaceholderData}>
        {hits.length === MAX_HITS ? `The first ${MAX_HITS} messages` : plural(hits.length, "message")}
      </div>
      <Hits key={JSON.stringify(search)} hits={hits} query={q} />
    </>
  );
}

function choicesOf(search: SearchParams, projects: Choice["options"]): Choice[] {
  return [
    { name: "mode", label: "Mode", value: search.mode, options: toOptions(MODES) },
    { name: "order", label: "Order", value: search.order, options: toOptions(ORDERS) },
    { name: "project", label: "Project", value: search.project, options: projects },
    { name: "within", label: "Time", value: search.within, options: toOptions(TIME_SPANS) },
    ...(search.run ? [{ name: "run", label: "Run", value: search.run, options: [] }] : []),
  ];
}
