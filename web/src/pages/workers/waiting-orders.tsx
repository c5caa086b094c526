// Orders that no worker has taken yet, with the reason.
import { IconAlertTriangle, IconHourglassEmpty } from "@tabler/icons-react";
import type { WaitingOrder } from "@/api/shows";
import { workName } from "@/domain/shows/work-names";
import { formatInteger } from "@/domain/text/format";
import { Duration } from "@/ui/data/time";
import { Panel, Section } from "@/ui/page";
import classes from "./orders.module.css";
import { OrderLink } from "./worker-orders";

export function WaitingOrders({ orders, total }: { orders: WaitingOrder[]; total: number }) {
  return (
    <Section title="Waiting for a worker" beside={<span className="muted">{formatInteger(total)}</span>}>
      <Panel>
        <ul className="plain-list" aria-label="Waiting orders">
          {orders.map((order) => (
            <Waiting key={order.id} order={order} />
          ))}
        </ul>
        {total > orders.length && (
          <p className={classes.more}>
            The oldest {orders.length} of {formatInteger(total)}
          </p>
        )}
      </Panel>
    </Section>
  );
}

function Waiting({ order }: { order: WaitingOrder }) {
  const WaitIcon = order.wait.needs_person ? IconAlertTriangle : IconHourglassEmpty;
  return (
    <li className={classes.waiting}>
      <OrderLink topic={order.topic} play={order.play} />
      <span>{workName(order.work)}</span>
      <span className={classes.wait} data-person={order.wait.needs_person}>
        <WaitIcon size={13} stroke={2} aria-hidden />
        {order.wait.text}
      </span>
      <span className={classes.since}>
        <Duration since={order.ordered_at} />
      </span>
    </li>
  );
}
