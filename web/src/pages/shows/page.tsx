// Every show, the one that changed last first, with how far it is.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ShowListed, shows } from "@/api/shows";
import { formatInteger } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { Page, Panel } from "@/ui/page";
import { ShowRow } from "./show-row";
import classes from "./shows.module.css";

export function ShowsPage() {
  const query = useQuery(shows());
  const count = query.data?.shows.length;
  return (
    <Page
      title="Shows"
      beside={count ? <span className={classes.count}>{formatInteger(count)}</span> : undefined}
    >
      <Loaded query={query} label="Shows">
        {(data) => (data.shows.length === 0 ? <NoShows /> : <List shows={data.shows} />)}
      </Loaded>
    </Page>
  );
}

function List({ shows }: { shows: ShowListed[] }) {
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
  return (
    <Panel>
      <ul className={classes.list} aria-label="Shows">
        {shows.map((show, index) => (
          <ShowRow key={show.topic} show={show} id={`show-${index}`} active={index === at} />
        ))}
      </ul>
    </Panel>
  );
}

function NoShows() {
  return (
    <EmptyState title="No shows yet">
      A show is many agents on one repository, each in a checkout of its own, gated and merged.{" "}
      <code>li show plan my-topic</code> begins one, <code>li demo</code> runs one that needs nothing.
    </EmptyState>
  );
}
