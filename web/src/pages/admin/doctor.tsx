// Findings of `li doctor`; stale runs that are proven dead can be marked as failed.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deadRuns, doctor, markDeadRuns } from "@/api/admin";
import { keys, type Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { capitalizeHint } from "@/domain/text/hints";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { CodeSpans } from "@/ui/text/code-spans";
import classes from "./admin.module.css";

type Stale = Schema<"StaleRun">;

export function DoctorSection() {
  const query = useQuery(doctor());
  const [confirming, setConfirming] = useState(false);
  const dead = query.data?.transitions ?? [];
  return (
    <Section
      title="Doctor"
      id="doctor"
      beside={
        <>
          <Button variant="default" size="compact-xs" disabled={query.isFetching} onClick={() => void query.refetch()}>
            Run checks again
          </Button>
          {dead.length > 0 && (
            <Button size="compact-xs" onClick={() => setConfirming(true)}>
              Mark {plural(dead.length, "dead run")} as failed…
            </Button>
          )}
        </>
      }
    >
      <Loaded query={query} label="Findings">
        {({ findings }) => (findings.length === 0 ? <NoFindings /> : <Findings findings={findings} />)}
      </Loaded>
      {confirming && <MarkFailed close={() => setConfirming(false)} />}
    </Section>
  );
}

function NoFindings() {
  return <p className="muted">No problems found in the database, its files and its runs</p>;
}

function Findings({ findings }: { findings: Schema<"FindingView">[] }) {
  return (
    <Panel>
      <ul className={classes.list} aria-label="Findings">
        {findings.map((finding, index) => (
          <li key={index} className={classes.finding}>
            <span className={classes.severity} data-severity={finding.severity}>
              {finding.severity}
            </span>
            <div className={classes.findingBody}>
              <div>
                <b>{finding.subject}</b> <code className={classes.code}>{finding.code}</code>
              </div>
              <div className={classes.evidence}>
                <CodeSpans text={capitalizeHint(finding.evidence)} />
              </div>
              <div className="muted">
                <CodeSpans text={capitalizeHint(finding.advice)} />
              </div>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function MarkFailed({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const query = useQuery(deadRuns());
  const dead = query.data?.transitions ?? [];
  const run = async (): Promise<string> => {
    const { transitions } = await markDeadRuns(false);
    await queries.invalidateQueries({ queryKey: keys.admin() });
    return `${plural(transitions.length, "run")} marked as failed`;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title="Mark dead runs as failed?"
      confirmLabel={`Mark ${plural(dead.length, "run")} as failed`}
      danger
      disabled={dead.length === 0}
      run={run}
    >
      <p>These runs are stale, and their processes are proven dead. Nothing is deleted.</p>
      <Loaded query={query} label="Dead runs">
        {() => (
          <ul className={classes.preview}>
            {dead.map((run: Stale) => (
              <li key={run.session_id}>
                <TextLink to="/runs/$runId" params={{ runId: run.session_id }}>
                  {run.session_id}
                </TextLink>
                <ul>
                  {run.evidence.map((line) => (
                    <li key={line}>{line}</li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </ConfirmDialog>
  );
}
