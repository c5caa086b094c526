// What waits for a person, the worst first, each with its evidence and the place to act.
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schema } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { RelativeTime } from "@/ui/data/time";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { Deeds } from "./attention-actions";
import classes from "./home.module.css";

type Waiting = Schema<"Waiting">;
const SHOWN = 6;

export function AttentionList({ items }: { items: Waiting[] }) {
  const [all, setAll] = useState(false);
  const navigate = useNavigate();
  const shown = all ? items : items.slice(0, SHOWN);
  const open = (index: number): void => {
    const item = shown[index];
    if (item) void navigate(goalOf(item));
  };
  const [at] = useListKeys({ count: shown.length, open });
  if (items.length === 0) return <Calm />;
  return (
    <Section
      title="Waits for you"
      beside={<span className={classes.dim}>{plural(items.length, "thing")}</span>}
    >
      <Panel>
        <ul className={classes.list}>
          {shown.map((item, index) => (
            <Item
              key={`${item.code} ${item.session_id} ${item.topic} ${item.play}`}
              item={item}
              active={index === at}
            />
          ))}
        </ul>
        {items.length > shown.length && (
          <button type="button" className={classes.more} onClick={() => setAll(true)}>
            {items.length - shown.length} more
          </button>
        )}
      </Panel>
    </Section>
  );
}

function Item({ item, active }: { item: Waiting; active: boolean }) {
  const Sign = item.severity === "info" ? IconInfoCircle : IconAlertTriangle;
  return (
    <li className={classes.item} data-active={active} data-severity={item.severity}>
      <Sign size={16} stroke={1.8} className={classes.sign} role="img" aria-label={item.severity} />
      <div className={classes.what}>
        <TextLink {...goalOf(item)} className={classes.title}>
          {item.title}
        </TextLink>
        <div className={classes.evidence}>{item.evidence}</div>
      </div>
      <Deeds deeds={item.actions} title={item.title} evidence={item.evidence} />
      <span className={classes.when}>
        <RelativeTime at={item.since} />
      </span>
    </li>
  );
}

function goalOf(item: Waiting) {
  if (item.topic) return { to: "/shows/$topic" as const, params: { topic: item.topic } };
  return { to: "/runs/$runId" as const, params: { runId: item.session_id ?? "" } };
}

function Calm() {
  return (
    <div className={classes.calm}>
      <IconCircleCheck size={17} stroke={1.8} /> Nothing waits for you.
    </div>
  );
}
