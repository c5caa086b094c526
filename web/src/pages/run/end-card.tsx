// The end of a run that did not succeed: the reason, and what to do next.
import { Button } from "@mantine/core";
import { IconAlertTriangle, IconGitFork, IconRefresh } from "@tabler/icons-react";
import { endOf } from "@/domain/runs/run-end";
import { openNewRun } from "@/ui/new-run/open-new-run";
import classes from "./run-view.module.css";
import { forkPoint } from "./talk/fork-at";
import type { Detail } from "./transcript/segments";

export function EndCard({ detail }: { detail: Detail }) {
  const { session, commands } = detail;
  const end = endOf(session);
  if (!end) return null;
  return (
    <section className={classes.endCard} aria-label="Why the run ended">
      <IconAlertTriangle size={18} stroke={1.8} aria-hidden />
      <div className={classes.endText}>
        <b>{end.title}</b>
        <p>{end.reason}</p>
      </div>
      {commands.target && (
        <div className={classes.endActions}>
          <Button size="xs" leftSection={<IconRefresh size={14} />} onClick={() => openNewRun({ retries: session.id })}>
            Run again…
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconGitFork size={14} />}
            onClick={() => forkPoint.set({ runId: session.id, ord: session.message_count - 1 })}
          >
            Fork…
          </Button>
        </div>
      )}
    </section>
  );
}
