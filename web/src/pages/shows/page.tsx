import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ShowListed, shows } from "@/api/shows";
import { filterShows, listStates } from "@/domain/shows/show-list";
import { formatInteger } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { FilterBar } from "@/ui/list/filter-bar";
import { openNewRun } from "@/ui/new-run/open-new-run";
import { Page, Panel } from "@/ui/page";
import { CopyButton } from "@/ui/text/copy-button";
import { ShowRow } from "./show-row";
import classes from "./shows.module.css";

const COMMANDS = ["li show plan my-topic --repo . --goal '…'", "li demo"];
const SORT_LABELS = { updated: "Last change", topic: "Name", progress: "Progress", cost: "Cost", tokens: "Tokens" };

export function ShowsPage() {
  const query = useQuery(shows());
  const search = useSearch({ from: "/shows" });
  const all = query.data?.shows ?? [];
  const listed = filterShows(all, search);
  const isFiltered = listed.length < all.length;
  return (
    <Page
      title="Shows"
      beside={
        all.length > 0 && (
          <span className="muted">
            {isFiltered ? `${formatInteger(listed.length)} of ${formatInteger(all.length)}` : formatInteger(all.length)}
          </span>
        )
      }
      actions={<NewShow />}
      bar={query.data?.shows.length !== 0 && <ShowFilters shows={all} />}
    >
      <Loaded query={query} label="Shows">
        {() => (all.length === 0 ? <NoShows /> : <ShowList shows={listed} />)}
      </Loaded>
    </Page>
  );
}

function NewShow() {
  return (
    <Button size="compact-sm" leftSection={<IconPlus size={14} />} onClick={() => openNewRun({ kind: "show" })}>
      New show
    </Button>
  );
}

function ShowFilters({ shows }: { shows: ShowListed[] }) {
  const { q, state, sort } = useSearch({ from: "/shows" });
  const navigate = useNavigate({ from: "/shows" });
  const sorts = Object.entries(SORT_LABELS).map(([value, label]) => ({ value, label }));
  return (
    <FilterBar
      text={{ value: q, placeholder: "Filter shows" }}
      choices={[
        { name: "state", label: "State", value: state, options: listStates(shows) },
        { name: "sort", label: "Sort by", value: sort, options: sorts },
      ]}
      change={(name, value) =>
        void navigate({ search: (old) => ({ ...old, [name]: value }), replace: true, resetScroll: false })
      }
      clear={() => void navigate({ search: {}, replace: true })}
    />
  );
}

function ShowList({ shows }: { shows: ShowListed[] }) {
  const navigate = useNavigate();
  const open = (index: number): void => {
    const topic = shows[index]?.topic;
    if (topic) void navigate({ to: "/shows/$topic", params: { topic } });
  };
  const reveal = (index: number): void =>
    document.getElementById(`show-${index}`)?.scrollIntoView({ block: "nearest" });
  const [at] = useListKeys({
    count: shows.length,
    open,
    reveal,
    leave: () => void navigate({ to: "/" }),
  });
  if (shows.length === 0) return <EmptyState title="No shows match these filters" />;
  return (
    <Panel>
      <div className={classes.header} aria-hidden>
        <span>Show</span>
        <span>Plays</span>
        <span>Tokens</span>
        <span>Cost</span>
        <span>Changed</span>
      </div>
      <ul className="plain-list" aria-label="Shows">
        {shows.map((show, index) => (
          <ShowRow key={show.topic} show={show} id={`show-${index}`} active={index === at} />
        ))}
      </ul>
    </Panel>
  );
}

function NoShows() {
  return (
    <EmptyState title="No shows yet" action={<NewShow />}>
      A show runs several agents on one repository, each in its own checkout, then gates and merges their work. Start
      one here, or in a terminal: plan your own, or watch the demo, which needs no account.
      {COMMANDS.map((command) => (
        <span key={command} className={classes.command}>
          <code>{command}</code>
          <CopyButton text={command} label={`Copy ${command}`} />
        </span>
      ))}
    </EmptyState>
  );
}
