// Workers, what each carries out, and orders that wait for one.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Worker, workers } from "@/api/shows";
import { plural } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { Page, Panel } from "@/ui/page";
import { CopyButton } from "@/ui/text/copy-button";
import { RemoveDialog } from "./remove-dialog";
import { useDrain } from "./use-drain";
import { WaitingOrders } from "./waiting-orders";
import { WorkerRow } from "./worker-row";
import classes from "./workers.module.css";

const START = "li worker";
const HUB = "li hub init postgresql://…";

export function WorkersPage() {
  const query = useQuery(workers());
  const data = query.data;
  return (
    <Page title="Workers" beside={data && data.workers.length > 0 && <Summary workers={data.workers} />}>
      <Loaded query={query} label="Workers">
        {(loaded) => (
          <>
            {loaded.workers.length > 0 ? (
              <WorkerList workers={loaded.workers} />
            ) : (
              <NoWorkers isHub={loaded.is_hub} waiting={loaded.waiting_total} />
            )}
            {loaded.waiting.length > 0 && <WaitingOrders orders={loaded.waiting} total={loaded.waiting_total} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** "2 of 3 connected · 3 of 8 places in use". */
function Summary({ workers }: { workers: Worker[] }) {
  const connected = workers.filter((worker) => worker.is_connected);
  const places = connected.reduce((sum, worker) => sum + worker.at_once, 0);
  const load = connected.reduce((sum, worker) => sum + worker.load, 0);
  return (
    <span className={`muted ${classes.summary}`}>
      {connected.length === workers.length
        ? `${workers.length} connected`
        : `${connected.length} of ${workers.length} connected`}
      {places > 0 && ` · ${load} of ${plural(places, "place")} in use`}
    </span>
  );
}

function WorkerList({ workers }: { workers: Worker[] }) {
  const navigate = useNavigate();
  const [removing, setRemoving] = useState<Worker>();
  const drain = useDrain();
  const open = (index: number): void => {
    const order = workers[index]?.orders.find(({ play }) => play !== null) ?? workers[index]?.orders[0];
    if (!order) return;
    const search = order.play === null ? {} : { play: order.play };
    void navigate({ to: "/shows/$topic", params: { topic: order.topic }, search });
  };
  const reveal = (index: number): void =>
    document.getElementById(rowId(workers[index]?.id ?? ""))?.scrollIntoView({ block: "nearest" });
  const [at] = useListKeys({ count: workers.length, open, reveal, leave: () => void navigate({ to: "/" }) });
  const current = workers[at];
  useShortcuts([
    {
      keys: "d",
      label: "Drain the worker, or let it take orders again",
      group: "Workers",
      run: () => current && current.stopped_at === null && !current.stopping && void drain(current),
    },
  ]);
  return (
    <div className={classes.list}>
      <Panel>
        <div className={classes.header} aria-hidden>
          <span>Worker</span>
          <span>State</span>
          <span>Load</span>
          <span>Version</span>
          <span>Last seen</span>
          <span />
        </div>
        <ul className="plain-list" aria-label="Workers">
          {workers.map((worker) => (
            <WorkerRow
              key={worker.id}
              id={rowId(worker.id)}
              worker={worker}
              active={worker === current}
              drain={drain}
              remove={setRemoving}
            />
          ))}
        </ul>
      </Panel>
      {removing && <RemoveDialog worker={removing} close={() => setRemoving(undefined)} />}
    </div>
  );
}

const rowId = (id: string): string => `worker-${id}`;

function NoWorkers({ isHub, waiting }: { isHub: boolean; waiting: number }) {
  if (!isHub)
    return (
      <EmptyState title="Workers need a hub">
        This Studio uses a file, and its shows run on this machine. To run the plays of a show on several machines,
        create a hub with <code>{HUB}</code>, then start <code>{START}</code> on each machine.
      </EmptyState>
    );
  return (
    <EmptyState
      title={waiting > 0 ? "Orders wait, and no worker was started yet" : "No workers yet"}
      action={<CopyButton text={START} label={`Copy ${START}`} />}
    >
      A worker takes plays of shows and runs them on its machine. Start one on each machine that uses this hub:{" "}
      <code>{START}</code>. Labels such as <code>{`${START} --labels gpu,docker`}</code> say which plays it may take.
    </EmptyState>
  );
}
