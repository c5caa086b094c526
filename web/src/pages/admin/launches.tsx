// Processes that the Studios of this database started, with their output.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "@/api/keys";
import { type Launch, launch, launches, stopLaunch } from "@/api/launches";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { runAction } from "@/ui/feedback/run-action";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { CodeBlock } from "@/ui/text/code-block";
import classes from "./admin.module.css";

export function LaunchesSection() {
  const query = useQuery(launches());
  const [opened, setOpened] = useState<string>();
  const hosts = new Set(query.data?.launches.map((launch) => launch.host));
  return (
    <Section title="Launches" id="launches">
      <Loaded query={query} label="Launches">
        {(data) =>
          data.launches.length === 0 ? (
            <p className="muted">No launches yet</p>
          ) : (
            <Panel>
              <ul className={classes.list}>
                {data.launches.map((launch) => (
                  <li key={launch.id}>
                    <Row
                      launch={launch}
                      host={hosts.size > 1 ? launch.host : null}
                      toggle={() => setOpened(launch.id === opened ? undefined : launch.id)}
                    />
                    {launch.id === opened && <Output id={launch.id} running={launch.running} />}
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

function Row({ launch, host, toggle }: { launch: Launch; host: string | null; toggle: () => void }) {
  const queries = useQueryClient();
  const stop = (): Promise<boolean> =>
    runAction(async () => {
      await stopLaunch(launch.id);
      await queries.invalidateQueries({ queryKey: keys.launches() });
      return "Stop requested";
    });
  return (
    <div className={classes.row}>
      <button type="button" className={classes.linkButton} onClick={toggle}>
        {launch.verb} {launch.target}
      </button>
      <span className={classes.severity} data-severity={launch.running ? "info" : launch.exit_code ? "error" : "ok"}>
        {launch.running ? "running" : outcome(launch.exit_code)}
      </span>
      <span className={classes.evidence}>
        {launch.session_id && (
          <TextLink to="/runs/$runId" params={{ runId: launch.session_id }}>
            Run
          </TextLink>
        )}
      </span>
      <span className="muted">
        {host && `${host} · `}
        <RelativeTime at={launch.started_at} />
      </span>
      {launch.running && (
        <Button variant="default" size="compact-xs" onClick={() => void stop()}>
          Stop
        </Button>
      )}
    </div>
  );
}

function outcome(code: number | null): string {
  if (code === null) return "ended"; // its Studio was not there to see how
  return code === 0 ? "done" : `exit ${code}`;
}

function Output({ id, running }: { id: string; running: boolean }) {
  const query = useQuery(launch(id, running));
  return (
    <div className={classes.output}>
      <Loaded query={query} label="Output">
        {(data) => <CodeBlock text={data.output || "No output yet"} ansi label="Output" />}
      </Loaded>
    </div>
  );
}
