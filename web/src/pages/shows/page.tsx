import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ShowListed, shows } from "@/api/shows";
import { formatInteger } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { List } from "@/ui/list/list-row";
import { Page } from "@/ui/page";
import { ShowRow } from "./show-row";

export function ShowsPage() {
  const query = useQuery(shows());
  const count = query.data?.shows.length;
  return (
    <Page title="Shows" beside={count ? <span className="muted">{formatInteger(count)}</span> : undefined}>
      <Loaded query={query} label="Shows">
        {(data) => (data.shows.length === 0 ? <NoShows /> : <ShowList shows={data.shows} />)}
      </Loaded>
    </Page>
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
  return (
    <List label="Shows">
      {shows.map((show, index) => (
        <ShowRow key={show.topic} show={show} id={`show-${index}`} active={index === at} />
      ))}
    </List>
  );
}

function NoShows() {
  return (
    <EmptyState title="No shows yet">
      A show runs several agents on one repository, each in its own checkout, then gates and merges their work. Plan one
      with <code>li show plan my-topic</code>, or run the demo: <code>li demo</code>.
    </EmptyState>
  );
}
