import { Button, Tooltip } from "@mantine/core";
import { IconShieldCheck, IconShieldOff } from "@tabler/icons-react";
import type { Worker } from "@/api/shows";
import { shortId } from "@/domain/runs/short-id";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { WorkerOrders } from "./worker-orders";
import classes from "./workers.module.css";

interface RowProps {
  id: string;
  worker: Worker;
  active: boolean;
  drain: (worker: Worker) => Promise<boolean>;
  remove: (worker: Worker) => void;
}

export function WorkerRow({ id, worker, active, drain, remove }: RowProps) {
  return (
    <li id={id} className={classes.item} data-active={active} data-worker={worker.name}>
      <div className={classes.row}>
        <div className={classes.main}>
          <div className={classes.name} title={worker.id}>
            {worker.name}
            <Sandbox sandbox={worker.sandbox} />
          </div>
          <div className={classes.machine}>
            {worker.machine_name ?? (worker.machine_id ? `machine ${shortId(worker.machine_id)}` : "unknown machine")}
            <Labels labels={worker.labels} />
          </div>
        </div>
        <span className={classes.state}>
          <StatePill state={worker.state} />
        </span>
        <Load worker={worker} />
        <span className={classes.version} data-other={!worker.is_same_version}>
          {worker.version}
          {!worker.is_same_version && <span className={classes.otherVersion}>differs from Studio</span>}
        </span>
        <span className={classes.seen}>
          {worker.stopped_at === null ? (
            <RelativeTime at={worker.seen_at} />
          ) : (
            <>
              stopped <RelativeTime at={worker.stopped_at} />
            </>
          )}
        </span>
        <span className={classes.actions}>
          {worker.stopped_at === null && !worker.stopping && (
            <Button variant="default" size="compact-sm" onClick={() => void drain(worker)}>
              {worker.draining ? "Undrain" : "Drain"}
            </Button>
          )}
          {!worker.is_connected && worker.orders.length === 0 && (
            <Button variant="default" size="compact-sm" onClick={() => remove(worker)}>
              Remove
            </Button>
          )}
        </span>
      </div>
      {worker.orders.length > 0 && <WorkerOrders worker={worker} />}
    </li>
  );
}

function Labels({ labels }: { labels: string[] }) {
  if (labels.length === 0) return null;
  return (
    <ul className={classes.labels} aria-label="Labels">
      {labels.map((label) => (
        <li key={label} className={classes.label}>
          {label}
        </li>
      ))}
    </ul>
  );
}

function Sandbox({ sandbox }: { sandbox: string | null }) {
  const text = sandbox ? `confines programs with ${sandbox}` : "cannot confine programs";
  const ShieldIcon = sandbox ? IconShieldCheck : IconShieldOff;
  return (
    <Tooltip label={text}>
      <ShieldIcon size={14} stroke={1.7} className={classes.shield} role="img" aria-label={text} />
    </Tooltip>
  );
}

/** One square for each place, and the numbers. */
function Load({ worker: { load, at_once: places, is_connected } }: { worker: Worker }) {
  return (
    <span className={classes.load} data-idle={!is_connected}>
      <span className={classes.places} aria-hidden>
        {Array.from({ length: Math.min(places, MOST_SQUARES) }, (_, index) => (
          <span key={index} className={classes.place} data-used={index < load} />
        ))}
      </span>
      <span>
        {load} of {places}
      </span>
    </span>
  );
}

const MOST_SQUARES = 8;
