// Runs with status "running", grouped by health, with evidence. A dead one can be marked as failed at once.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { health } from "@/api/admin";
import type { Schema } from "@/api/keys";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";
import grid from "./health.module.css";
import { MarkFailed } from "./mark-failed";

type HealthRun = Schema<"HealthRun">;

export function HealthSection() {
  const query = useQuery(health());
  const [marked, setMarked] = useState<string>();
  return (
    <Section title="Health" id="health">
      <Loaded query={query} label="Health">
        {({ groups, runs, has_more: more }) =>
          runs.length === 0 ? (
            <p className="muted">No active runs</p>
          ) : (
            <Panel>
              <div className={classes.groups}>
                {groups.map((group) => (
                  <span key={group.health} className={classes.group} data-severity={group.severity}>
                    <b>{group.runs}</b> {group.label}
                  </span>
                ))}
              </div>
              <ul className={classes.list} aria-label="Active runs">
                {runs.map((run) => (
                  <li key={run.id} className={grid.row}>
                    <Row run={run} mark={() => setMarked(run.id)} />
                  </li>
                ))}
              </ul>
              {more && (
                <TextLink to="/runs" search={{ status: "running" }} className={classes.footerLink}>
                  All active runs
                </TextLink>
              )}
            </Panel>
          )
        }
      </Loaded>
      {marked && <MarkFailed sessionIds={[marked]} close={() => setMarked(undefined)} />}
    </Section>
  );
}

function Row({ run, mark }: { run: HealthRun; mark: () => void }) {
  return (
    <>
      <TextLink to="/runs/$runId" params={{ runId: run.id }} className={grid.name} title={run.display_name}>
        {run.display_name}
      </TextLink>
      <span className={`${classes.severity} ${grid.state}`} data-severity={run.severity}>
        {run.label}
      </span>
      <span className={grid.evidence}>{run.evidence}</span>
      <span className={grid.since}>
        <RelativeTime at={run.since} />
      </span>
      <span className={grid.action}>
        {run.is_dead && (
          <Button variant="default" size="compact-xs" onClick={mark}>
            Mark as failed…
          </Button>
        )}
      </span>
    </>
  );
}
