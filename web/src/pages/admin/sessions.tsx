// Browsers that are signed in, with sign-out for each.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { keys } from "@/api/keys";
import { endStudioSession, type StudioSession, signOut, studioSessions } from "@/api/sign-in/sign-in";
import { browserName } from "@/domain/text/browser-name";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { runAction } from "@/ui/feedback/run-action";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";

export function SessionsSection() {
  const query = useQuery(studioSessions());
  return (
    <Section title="Sessions" id="sessions">
      <p className="muted">
        Browsers that are signed in to Studio. A session ends after 30 days, or 7 days without use.
      </p>
      <Loaded query={query} label="Sessions">
        {({ sessions }) =>
          sessions.length === 0 ? (
            <p className="muted">No browser is signed in</p>
          ) : (
            <Panel>
              <ul className={classes.list}>
                {sessions.map((session) => (
                  <li key={session.id}>
                    <Row session={session} />
                  </li>
                ))}
              </ul>
            </Panel>
          )
        }
      </Loaded>
    </Section>
  );
}

function Row({ session }: { session: StudioSession }) {
  const queries = useQueryClient();
  const name = browserName(session.user_agent);
  const end = (): Promise<unknown> =>
    session.is_current
      ? signOut()
      : runAction(async () => {
          await endStudioSession(session.id);
          await queries.invalidateQueries({ queryKey: keys.studioSessions() });
          return `Signed out ${name}`;
        });
  return (
    <div className={classes.row}>
      <span className={classes.sessionName} title={session.user_agent ?? ""}>
        {name}
        {session.is_current && <span className={classes.current}>this browser</span>}
      </span>
      <span className={classes.evidence}>
        {session.address} · signed in <RelativeTime at={session.created_at} /> · last used{" "}
        <RelativeTime at={session.last_seen_at} />
      </span>
      <Button variant="default" size="compact-xs" onClick={() => void end()} aria-label={`Sign out ${name}`}>
        Sign out
      </Button>
    </div>
  );
}
