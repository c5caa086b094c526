// One show: graph, plays, timeline and plan.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Show, show as showQuery } from "@/api/shows";
import { StatePill } from "@/ui/data/state-pill";
import { Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { Breadcrumb, Page } from "@/ui/page";
import { ShowActions } from "./actions";
import { GraphPanel } from "./graph-panel";
import { Plan } from "./plan";
import { PlaysTable, rowId } from "./plays-table";
import classes from "./show.module.css";
import { ShowFacts } from "./show-facts";
import { Timeline } from "./timeline";

export function ShowPage() {
  const { topic } = useParams({ from: "/shows/$topic" });
  const query = useQuery(showQuery(topic));
  const show = query.data;
  return (
    <Page
      title={topic}
      before={<Breadcrumb to="/shows">Shows</Breadcrumb>}
      beside={<StatePill state={show?.state} />}
      actions={show && <ShowActions show={show} />}
    >
      <Loaded query={query} label="Show">
        {(data) => <ShowView show={data} />}
      </Loaded>
    </Page>
  );
}

function ShowView({ show }: { show: Show }) {
  const { play: opened } = useSearch({ from: "/shows/$topic" });
  const navigate = useNavigate({ from: "/shows/$topic" });
  const [hovered, setHovered] = useState<string>();
  const toggle = (name: string): void => {
    const search = name === opened ? {} : { play: name };
    void navigate({ search, replace: true, resetScroll: false });
  };
  const scrollToRow = (name: string | undefined): void =>
    document.getElementById(rowId(name ?? ""))?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  const goTo = (name: string): void => {
    if (name !== opened) toggle(name);
    requestAnimationFrame(() => scrollToRow(name));
  };
  const [cursor] = useListKeys({
    count: show.plays.length,
    open: (index) => toggle(show.plays[index]?.name ?? ""),
    reveal: (index) => scrollToRow(show.plays[index]?.name),
    leave: () => void (opened ? toggle(opened) : navigate({ to: "/shows" })),
  });
  const marked = hovered ?? show.plays[cursor]?.name;
  return (
    <div className={classes.show}>
      <ShowFacts show={show} />
      <GraphPanel show={show} marked={marked} hover={setHovered} open={goTo} />
      <PlaysTable show={show} opened={opened} marked={marked} hover={setHovered} toggle={toggle} />
      <Timeline show={show} marked={marked} hover={setHovered} open={goTo} />
      <Plan text={show.show_md} error={show.error} />
    </div>
  );
}
