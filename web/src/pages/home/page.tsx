import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { attention, dashboard, stats } from "@/api/home";
import { openQuestions } from "@/api/questions";
import { Loaded, LoadingLine } from "@/ui/feedback/placeholders";
import { NewRunButton } from "@/ui/new-run/new-run-button";
import { Page, Section } from "@/ui/page";
import { withRetry } from "@/ui/routing/retry";
import { ActiveShows } from "./active-shows";
import { AttentionList } from "./attention-list";
import { Cards } from "./cards";
import classes from "./home.module.css";
import { HoursChart } from "./hours-chart";
import { RecentRuns } from "./recent-runs";

const Welcome = lazy(withRetry(() => import("./welcome/welcome")));

export function HomePage() {
  const dashboardQuery = useQuery(dashboard());
  const attentionQuery = useQuery(attention());
  const questionsQuery = useQuery(openQuestions());
  const statsQuery = useQuery(stats());
  const isNew = statsQuery.data !== undefined && statsQuery.data.total_sessions === 0 && statsQuery.data.shows === 0;
  // What needs the user is on top: nothing below may appear before it and be pushed down.
  const isReady = [attentionQuery, questionsQuery, statsQuery].every(({ isPending }) => !isPending);
  return (
    <Page title="Home" actions={<NewRunButton />}>
      <div className={classes.home}>
        {!isReady && <LoadingLine label="home" />}
        {isReady && isNew && (
          <Suspense fallback={<LoadingLine label="home" />}>
            <Welcome />
          </Suspense>
        )}
        {isReady && !isNew && (
          <>
            <Loaded query={questionsQuery} label="Questions">
              {({ questions, open }) => (
                <Loaded query={attentionQuery} label="Attention items">
                  {(items) => <AttentionList items={items} questions={questions} openCount={open} />}
                </Loaded>
              )}
            </Loaded>
            <Loaded query={dashboardQuery} label="Overview">
              {(data) => (
                <>
                  <Cards cards={data.cards} />
                  <div className={classes.columns}>
                    <Section title="Usage">
                      <HoursChart rows={data.hours} />
                    </Section>
                    <Section title="Active shows">
                      <ActiveShows shows={data.shows} />
                    </Section>
                  </div>
                  <Section title="Recent runs">
                    <RecentRuns runs={data.recent} />
                  </Section>
                </>
              )}
            </Loaded>
          </>
        )}
      </div>
    </Page>
  );
}
