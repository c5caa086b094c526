// Search: every message of every run, by its words or by what it means.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useLayoutEffect } from "react";
import { facets } from "@/api/runs";
import { type SearchQuery, searchHits } from "@/api/search";
import { plural } from "@/domain/text/format";
import { EmptyState, ErrorState, LoadingLine } from "@/ui/feedback/placeholders";
import { type Choice, FilterBar } from "@/ui/list/filter-bar";
import { Page } from "@/ui/page";
import { Hits } from "./hits";
import { type SearchSearch, SPANS } from "./route";
import classes from "./search.module.css";

const MODE_NAMES = { words: "These words", semantic: "By meaning", hybrid: "Words and meaning" };
const SPAN_NAMES: Record<string, string> = { "24h": "Last day", "7d": "Last week", "30d": "Last month" };

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
          text={{ value: search.q, placeholder: "Search every message…" }}
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

function Results({ search }: { search: SearchSearch }) {
  const query = toSearchQuery(search);
  const hitsQuery = useQuery(searchHits(query));
  if (query.q === "")
    return (
      <EmptyState title="What are you looking for?">
        All messages of all runs: what was asked, said, called and given back. Best matches first with Order,
        by meaning with Mode.
      </EmptyState>
    );
  if (hitsQuery.error && !hitsQuery.data)
    return <ErrorState error={hitsQuery.error} label="The results" retry={() => void hitsQuery.refetch()} />;
  if (!hitsQuery.data) return <LoadingLine what="messages with these words" />;
  if (hitsQuery.data.hits.length === 0)
    return (
      <EmptyState title="No message is like that">Fewer words find more; a filter may hide it.</EmptyState>
    );
  const hits = hitsQuery.data.hits;
  return (
    <>
      <div className={classes.count} role="status" data-old={hitsQuery.isPlaceholderData}>
        {hits.length === 100 ? "The first 100 messages" : plural(hits.length, "message")}
      </div>
      <Hits key={JSON.stringify(search)} hits={hits} query={query.q} />
    </>
  );
}

/** The minute is cut, so that the same address stays the same query. */
function toSearchQuery(search: SearchSearch): SearchQuery {
  const { q = "", mode = "words", order, project, run, within } = search;
  const span = within === undefined ? undefined : SPANS[within];
  const since = span === undefined ? undefined : Math.floor((Date.now() / 1000 - span) / 60) * 60;
  return { q, mode, ranked: order === "best", project, session: run, since };
}

function choicesOf(search: SearchSearch, projects: Choice["options"]): Choice[] {
  return [
    {
      name: "mode",
      label: "Mode",
      value: search.mode,
      options: Object.entries(MODE_NAMES).map(([value, label]) => ({ value, label })),
    },
    {
      name: "order",
      label: "Order",
      value: search.order,
      options: [
        { value: "newest", label: "Newest first" },
        { value: "best", label: "Best first" },
      ],
    },
    { name: "project", label: "Project", value: search.project, options: projects },
    {
      name: "within",
      label: "Time",
      value: search.within,
      options: Object.entries(SPAN_NAMES).map(([value, label]) => ({ value, label })),
    },
    ...(search.run ? [{ name: "run", label: "Run", value: search.run, options: [] }] : []),
  ];
}
