// The worker that has a play or directs the show, or the reason why none has it yet.
import { Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconHourglassEmpty, IconServer2 } from "@tabler/icons-react";
import type { Play } from "@/api/shows";
import { workName } from "@/domain/shows/work-names";
import { dateTime } from "@/domain/text/format";
import classes from "./play-worker.module.css";

type WorkerOfPlay = NonNullable<Play["worker"]>;

export function PlayWorker({ worker }: { worker: Play["worker"] }) {
  if (!worker) return null;
  if (worker.wait !== null) return <Wait {...worker} />;
  return (
    <Tooltip label={sentence(worker)}>
      <span className={classes.worker} data-open={worker.is_open}>
        <IconServer2 size={13} stroke={1.7} aria-hidden />
        <span className={classes.name}>{worker.name}</span>
        {worker.is_open && worker.work !== "attempt" && worker.work !== "show" && (
          <span className={classes.work}>{workName(worker.work)}</span>
        )}
      </span>
    </Tooltip>
  );
}

function Wait({ wait, wait_short: short, needs_person: needsPerson }: WorkerOfPlay) {
  const WaitIcon = needsPerson ? IconAlertTriangle : IconHourglassEmpty;
  return (
    <Tooltip label={`Waiting: ${wait}`}>
      <span className={classes.wait} data-person={needsPerson}>
        <WaitIcon size={13} stroke={2} aria-hidden />
        <span className={classes.name}>{short}</span>
      </span>
    </Tooltip>
  );
}

function sentence({ name, work, fence, since, is_open: isOpen }: WorkerOfPlay): string {
  const when = since === null ? "" : ` since ${dateTime(since)}`;
  if (!isOpen) return `The last attempt ran on ${name} · fence ${fence}`;
  return `${name}: ${workName(work)}${when} · fence ${fence}`;
}
