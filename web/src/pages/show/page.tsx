// One show: graph, plays, timeline and plan.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Question, questionsOf } from "@/api/questions";
import { type Show, show as showQuery } from "@/api/shows";
import { StatePill } from "@/ui/data/state-pill";
import { Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { Breadcrumb, Page, Panel } from "@/ui/page";
import { QuestionList } from "@/ui/questions/question-list";
import { ShowActions } from "./actions";
import { Decisions } from "./decisions";
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
  const questions = useQuery(questionsOf({ show: topic })).data?.questions ?? [];
  return (
    <Page
      title={topic}
      before={<Breadcrumb to="/shows">Shows</Breadcrumb>}
      beside={<StatePill state={show?.state} />}
      actions={
        show ? (
          <ShowActions show={show} questions={questions} />
        ) : (
          query.isPending && <span className={classes.actionsSpace} />
        )
      }
    >
      <Loaded query={query} label="Show" missing={{ what: "show", name: topic, list: "/shows" }}>
        {(data) => <ShowView show={data} questions={questions} />}
      </Loaded>
    </Page>
  );
}

function ShowView({ show, questions }: { show: Show; questions: readonly Question[] }) {
  const { play: opened } = useSearch({ from: "/shows/$topic" });
  const navigate = useNavigate({ from: "/shows/$topic" });
  const [hovered, setHovered] = useState<string>();
  // In the row of its play while that is open, so that no question is there twice.
  const isOfOpenPlay = ({ play_name }: Question): boolean => play_name !== null && play_name === opened;
  const toggle = (name: string): void => {
    const search = name === opened ? {} : { play: name };
    void navigate({ search, replace: true, resetScroll: false });
  };
  const scrollToRow = (name: string | undefined): void =>
    document.getElementById(rowId(name ?? ""))?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  const [first] = useState(opened);
  // A link to a play leads to its row.
  useEffect(() => document.getElementById(rowId(first ?? ""))?.scrollIntoView({ block: "start" }), [first]);
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
      {isUndirected(show) && (
        <p className={classes.undirected}>
          No director is running: nothing starts and nothing is merged until you resume the show.
        </p>
      )}
      <section className={classes.questions} aria-label="Questions">
        <div className={classes.sectionHeader}>
          <h2>Needs you</h2>
          <span />
        </div>
        <Panel>
          <QuestionList questions={questions.filter((question) => !isOfOpenPlay(question))} within="show" />
        </Panel>
      </section>
      <GraphPanel show={show} marked={marked} hover={setHovered} open={goTo} />
      <PlaysTable
        show={show}
        questions={questions.filter(isOfOpenPlay)}
        opened={opened}
        marked={marked}
        hover={setHovered}
        toggle={toggle}
        open={goTo}
      />
      <Timeline show={show} marked={marked} hover={setHovered} open={goTo} />
      <Decisions topic={show.topic} />
      <Plan text={show.show_md} error={show.error} />
    </div>
  );
}

/** It was started, and the process that directs it has ended. */
function isUndirected({ status, directed, started_at }: Show): boolean {
  return status === "active" && !directed && started_at !== null;
}
