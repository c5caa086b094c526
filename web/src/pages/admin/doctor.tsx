// Findings of the doctor, each with its evidence and the button that repairs it, or advice where only a person can.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { doctor } from "@/api/admin";
import { keys, type Schema } from "@/api/keys";
import { startLaunch, waitForLaunch } from "@/api/launches";
import { plural } from "@/domain/text/format";
import { capitalizeHint, endSentence } from "@/domain/text/hints";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { CodeSpans } from "@/ui/text/code-spans";
import classes from "./admin.module.css";
import { MergeDoubles } from "./doubles";
import { MaintenanceDialog } from "./maintenance";
import { MarkFailed } from "./mark-failed";

type Finding = Schema<"FindingView">;
type Repair =
  | { kind: "mark"; ids: string[] }
  | { kind: "doubles" }
  | { kind: "checkpoint" }
  | { kind: "import"; target: string };

export function DoctorSection() {
  const query = useQuery(doctor());
  const [repair, setRepair] = useState<Repair>();
  const close = (): void => setRepair(undefined);
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
          {dead.length > 1 && (
            <Button
              size="compact-xs"
              onClick={() => setRepair({ kind: "mark", ids: dead.map((run) => run.session_id) })}
            >
              Mark {plural(dead.length, "dead run")} as failed…
            </Button>
          )}
        </>
      }
    >
      <Loaded query={query} label="Findings">
        {({ findings }) =>
          findings.length === 0 ? (
            <p className="muted">No problems found in the database, its files and its runs</p>
          ) : (
            <Panel>
              <ul className={classes.list} aria-label="Findings">
                {findings.map((finding, index) => (
                  <FindingRow key={index} finding={finding} start={setRepair} />
                ))}
              </ul>
            </Panel>
          )
        }
      </Loaded>
      {repair?.kind === "mark" && <MarkFailed sessionIds={repair.ids} close={close} />}
      {repair?.kind === "import" && <ImportFiles target={repair.target} close={close} />}
      {repair?.kind === "doubles" && <MergeDoubles close={close} />}
      {repair?.kind === "checkpoint" && <MaintenanceDialog name="Checkpoint" close={close} done={() => {}} />}
    </Section>
  );
}

function FindingRow({ finding, start }: { finding: Finding; start: (repair: Repair) => void }) {
  const repair = repairOf(finding);
  return (
    <li className={classes.finding}>
      <span className={classes.severity} data-severity={finding.severity}>
        {finding.severity}
      </span>
      <div className={classes.findingBody}>
        <div>
          <Subject finding={finding} /> <code className={classes.code}>{finding.code}</code>
        </div>
        <div className={classes.evidence}>
          <CodeSpans text={endSentence(capitalizeHint(finding.evidence))} />
        </div>
        {!repair && !finding.topic && finding.advice && (
          <div className="muted">
            <CodeSpans text={endSentence(capitalizeHint(finding.advice))} />
          </div>
        )}
      </div>
      {repair && (
        <Button variant="default" size="compact-xs" onClick={() => start(repair.repair)}>
          {repair.label}
        </Button>
      )}
      {finding.topic && (
        <TextLink to="/shows/$topic" params={{ topic: finding.topic }}>
          Open show
        </TextLink>
      )}
    </li>
  );
}

function ImportFiles({ target, close }: { target: string; close: () => void }) {
  const queries = useQueryClient();
  const run = async (): Promise<string> => {
    const { launch } = await startLaunch({ verb: "import", target, prompt: "" });
    const result = await waitForLaunch(launch.id);
    await queries.invalidateQueries({ queryKey: keys.admin() });
    return result;
  };
  return (
    <ConfirmDialog opened close={close} title={`Import ${target}?`} confirmLabel={`Import ${target}`} run={run}>
      <p>The rows in the database take over what the files say. The files are not changed.</p>
    </ConfirmDialog>
  );
}

function Subject({ finding }: { finding: Finding }) {
  if (!finding.session_id) return <b>{finding.subject}</b>;
  return (
    <TextLink to="/runs/$runId" params={{ runId: finding.session_id }} className={classes.inlineLink}>
      {finding.display_name ?? finding.subject}
    </TextLink>
  );
}

function repairOf({ code, session_id: id }: Finding): { label: string; repair: Repair } | undefined {
  if (code === "run.phantom" && id) return { label: "Mark as failed…", repair: { kind: "mark", ids: [id] } };
  if (code === "run.double") return { label: "Merge copies…", repair: { kind: "doubles" } };
  if (code === "show.drift") return { label: "Import shows…", repair: { kind: "import", target: "shows" } };
  if (code === "team.drift") return { label: "Import teams…", repair: { kind: "import", target: "teams" } };
  if (code === "file.wal_large") return { label: "Checkpoint…", repair: { kind: "checkpoint" } };
  return undefined;
}
