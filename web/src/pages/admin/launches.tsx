// What this Studio started, with the end of what it printed.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "@/api/keys";
import { type Launch, launch, launches, stopLaunch } from "@/api/launches";
import { RelativeTime } from "@/ui/data/time";
import { runAction } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { CodeBlock } from "@/ui/text/code-block";
import classes from "./admin.module.css";

export function LaunchesSection() {
  const query = useQuery(launches());
  const [opened, setOpened] = useState<string>();
  return (
    <Section title="Started here" id="started-here">
      <Loaded query={query} label="What was started">
        {(data) =>
          data.launches.length === 0 ? (
            <p className="muted">Nothing was started from this page yet.</p>
          ) : (
            <Panel>
              <ul className={classes.list}>
                {data.launches.map((launch) => (
                  <li key={launch.id}>
                    <Row
                      launch={launch}
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

function Row({ launch, toggle }: { launch: Launch; toggle: () => void }) {
  const queries = useQueryClient();
  const stop = (): Promise<boolean> =>
    runAction(async () => {
      await stopLaunch(launch.id);
      await queries.invalidateQueries({ queryKey: keys.launches() });
      return "It was asked to stop";
    });
  return (
    <div className={classes.row}>
      <button type="button" className={classes.linkButton} onClick={toggle}>
        {launch.verb} {launch.target}
      </button>
      <span
        className={classes.severity}
        data-severity={launch.running ? "info" : launch.exit_code ? "error" : "ok"}
      >
        {launch.running ? "running" : launch.exit_code === 0 ? "done" : `exit ${launch.exit_code}`}
      </span>
      <span className={classes.evidence}>
        {launch.session_id && (
          <TextLink to="/runs/$runId" params={{ runId: launch.session_id }}>
            its run
          </TextLink>
        )}
      </span>
      <span className="muted">
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

function Output({ id, running }: { id: string; running: boolean }) {
  const query = useQuery(launch(id, running));
  return (
    <div className={classes.output}>
      <Loaded query={query} label="Its output">
        {(data) => <CodeBlock text={data.output || "It has printed nothing so far."} ansi label="Output" />}
      </Loaded>
    </div>
  );
}
