// The home page of a new installation: import a history, run the demo, start a run.
import { IconHistory, IconSitemap } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { history, imports } from "@/api/admin";
import { Loaded } from "@/ui/feedback/placeholders";
import { FirstRun } from "./first-run";
import { JobButton } from "./job-button";
import classes from "./welcome.module.css";
import { Card } from "./welcome-card";

export default function Welcome() {
  const query = useQuery(history());
  return (
    <div className={classes.welcome}>
      <h2 className={classes.title}>Everything your agents do, recorded and shown live</h2>
      <p className={classes.intro}>No runs are recorded yet. Start with one of these.</p>
      <Loaded query={query} label="Agent history">
        {({ histories, location }) => (
          <div className={classes.cards}>
            <HistoryCard histories={histories} location={location} />
            <Card
              icon={IconSitemap}
              title="Watch a show"
              description="Eight scripted agents write a little book: one fails its gate, one conflicts, one needs you. Needs only git, no account."
              commands={["li demo --here"]}
              location={location}
            >
              <JobButton verb="demo" target="show" label="Run the demo here" busyLabel="Starting the demo…" />
            </Card>
            <FirstRun location={location} />
          </div>
        )}
      </Loaded>
    </div>
  );
}

interface HistoryProps {
  histories: readonly { tool: string; title: string; root: string; sessions: number }[];
  location: string;
}

function HistoryCard({ histories, location }: HistoryProps) {
  const status = useQuery(imports()).data;
  const available = histories.filter(({ sessions }) => sessions > 0);
  const isFollowing = status?.follower.enabled === true;
  const description = isFollowing
    ? "Studio follows the Claude Code and Codex sessions of this machine: they appear here while they run."
    : available.length > 0
      ? "Reads the transcripts of this machine into your home; they are not changed."
      : `No sessions were found in ${histories.map(({ root }) => root).join(" or ")}.`;
  return (
    <Card
      icon={IconHistory}
      title={isFollowing ? "Use your agents as always" : "Import your agent history"}
      description={description}
      commands={available.map(({ tool }) => `li mirror ${tool} --follow`)}
      location={location}
    >
      {available.map(({ tool, title, sessions }) => (
        <JobButton
          key={tool}
          verb="mirror"
          target={tool}
          label={`Import ${sessions.toLocaleString("en")} ${title} ${sessions === 1 ? "session" : "sessions"}`}
          busyLabel={`Importing ${title} history…`}
        />
      ))}
      {status?.work.map(({ id, what, done, total }) => (
        <p key={id} className={classes.state}>
          {what} {total > 0 && `${Math.floor((100 * done) / total)} %`}
        </p>
      ))}
    </Card>
  );
}
