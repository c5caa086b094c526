// Runs with status "running", grouped by health, with evidence.
import { useQuery } from "@tanstack/react-query";
import { health } from "@/api/admin";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import classes from "./admin.module.css";

export function HealthSection() {
  const query = useQuery(health());
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
              <ul className={classes.list}>
                {runs.map((run) => (
                  <li key={run.id} className={classes.row}>
                    <TextLink to="/runs/$runId" params={{ runId: run.id }} className={classes.runLink}>
                      {run.display_name}
                    </TextLink>
                    <span className={classes.severity} data-severity={run.severity}>
                      {run.label}
                    </span>
                    <span className={classes.evidence}>{run.evidence}</span>
                    <span className="muted">
                      <RelativeTime at={run.since} />
                    </span>
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
    </Section>
  );
}
