// Items that need the user, the most severe first.
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schema } from "@/api/keys";
import { RelativeTime } from "@/ui/data/time";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { TextLink } from "@/ui/link";
import { Panel, Section } from "@/ui/page";
import { CodeSpans } from "@/ui/text/code-spans";
import { AttentionActions } from "./attention-actions";
import classes from "./home.module.css";

type AttentionItem = Schema<"Waiting">;
const MAX_COLLAPSED = 6;

export function AttentionList({ items }: { items: AttentionItem[] }) {
  const [all, setAll] = useState(false);
  const navigate = useNavigate();
  const shown = all ? items : items.slice(0, MAX_COLLAPSED);
  const open = (index: number): void => {
    const item = shown[index];
    if (item) void navigate(linkFor(item));
  };
  const [at] = useListKeys({ count: shown.length, open });
  if (items.length === 0) return <AllClear />;
  return (
    <Section title="Needs you" beside={<span className="muted">{items.length}</span>}>
      <Panel>
        <ul className={classes.list}>
          {shown.map((item, index) => (
            <AttentionRow
              key={`${item.code} ${item.session_id} ${item.topic} ${item.play}`}
              item={item}
              active={index === at}
            />
          ))}
        </ul>
        {items.length > shown.length && (
          <button type="button" className={classes.footerButton} onClick={() => setAll(true)}>
            {items.length - shown.length} more
          </button>
        )}
      </Panel>
    </Section>
  );
}

function AttentionRow({ item, active }: { item: AttentionItem; active: boolean }) {
  const SeverityIcon = item.severity === "info" ? IconInfoCircle : IconAlertTriangle;
  return (
    <li className={classes.attentionRow} data-active={active} data-severity={item.severity}>
      <SeverityIcon size={16} stroke={1.8} className={classes.severityIcon} role="img" aria-label={item.severity} />
      <div className={classes.summary}>
        <TextLink {...linkFor(item)} className={classes.titleLink}>
          {item.title}
        </TextLink>
        <div className={classes.evidence}>
          <CodeSpans text={item.evidence} />
        </div>
      </div>
      <AttentionActions item={item} />
      <span className={classes.time}>
        <RelativeTime at={item.since} />
      </span>
    </li>
  );
}

function linkFor(item: AttentionItem) {
  if (item.topic) return { to: "/shows/$topic" as const, params: { topic: item.topic } };
  return { to: "/runs/$runId" as const, params: { runId: item.session_id ?? "" } };
}

function AllClear() {
  return (
    <div className={classes.allClear}>
      <IconCircleCheck size={17} stroke={1.8} /> Nothing needs you
    </div>
  );
}
