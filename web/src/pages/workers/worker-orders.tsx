// The orders that a worker carries out now, each a link to its play.
import type { HeldOrder, Worker } from "@/api/shows";
import { workName } from "@/domain/shows/work-names";
import { Duration } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import classes from "./orders.module.css";

export function WorkerOrders({ worker }: { worker: Worker }) {
  return (
    <ul className={classes.orders} aria-label={`Orders of ${worker.name}`}>
      {worker.orders.map((order) => (
        <li key={order.id} className={classes.order}>
          <OrderLink topic={order.topic} play={order.play} />
          <span>{workName(order.work)}</span>
          {order.stop && <span className={classes.stop}>stopping: {order.stop}</span>}
          <span className={classes.orderFacts}>
            {order.session_id && (
              <TextLink to="/runs/$runId" params={{ runId: order.session_id }}>
                Open session
              </TextLink>
            )}
            <Fence order={order} />
            <span className={classes.since}>
              <Duration since={order.since} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

export function OrderLink({ topic, play }: { topic: string; play: string | null }) {
  return (
    <TextLink
      to="/shows/$topic"
      params={{ topic }}
      search={play === null ? {} : { play }}
      className={classes.orderLink}
      title={play === null ? topic : `${topic} / ${play}`}
    >
      {play === null ? topic : `${topic} / ${play}`}
    </TextLink>
  );
}

function Fence({ order: { fence } }: { order: HeldOrder }) {
  return (
    <span className={classes.fence} title="A number that grows whenever a worker takes work of the play">
      fence {fence}
    </span>
  );
}
