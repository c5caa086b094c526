import { useQuery } from "@tanstack/react-query";
import { attention, dashboard, stats } from "@/api/home";
import { Loaded } from "@/ui/feedback/placeholders";
import { Page, Section } from "@/ui/page";
import { ActiveShows } from "./active-shows";
import { AttentionList } from "./attention-list";
import { Cards } from "./cards";
import classes from "./home.module.css";
import { HoursChart } from "./hours-chart";
import { RecentRuns } from "./recent-runs";
import { Welcome } from "./welcome";

export function HomePage() {
  const dashboardQuery = useQuery(dashboard());
  const attentionQuery = useQuery(attention());
  const statsQuery = useQuery(stats());
  const isNew = statsQuery.data !== undefined && statsQuery.data.total_sessions === 0 && statsQuery.data.shows === 0;
  return (
    <Page title="Home">
      <div className={classes.home}>
        {isNew ? (
          <Welcome />
        ) : (
          <>
            <Loaded query={attentionQuery} label="Attention items">
              {({ items }) => <AttentionList items={items} />}
            </Loaded>
            <Loaded query={dashboardQuery} label="Overview">
              {(data) => (
                <>
                  <Cards cards={data.cards} />
                  <div className={classes.columns}>
                    <Section title="Last 24 hours">
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
