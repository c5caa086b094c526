// An item that needs the user, or many with the same reason, folded.
import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconChevronRight, IconInfoCircle } from "@tabler/icons-react";
import { useState } from "react";
import type { AttentionItem } from "@/api/home";
import { clusterTitle, type Row } from "@/domain/attention";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import { CodeSpans } from "@/ui/text/code-spans";
import classes from "./attention.module.css";
import { AttentionActions } from "./attention-actions";
import { HideButtons } from "./hide-buttons";
import shared from "./home.module.css";

export function AttentionRow({ row, active }: { row: Row<AttentionItem>; active: boolean }) {
  return row.items.length === 1 ? (
    <ItemRow item={row.items[0]} active={active} />
  ) : (
    <Cluster row={row} active={active} />
  );
}

export function ItemRow({ item, active = false }: { item: AttentionItem; active?: boolean }) {
  return (
    <li
      className={classes.attentionRow}
      data-active={active}
      data-severity={item.severity}
      data-dismissed={item.dismissed || Boolean(item.snoozed_until)}
    >
      <SeverityIcon severity={item.severity} />
      <div className={classes.summary}>
        <TextLink {...linkFor(item)} className={shared.titleLink}>
          {item.title}
        </TextLink>
        <div className={classes.evidence}>
          <CodeSpans text={item.evidence} />
        </div>
      </div>
      <AttentionActions item={item} />
      <span className={shared.time}>
        <RelativeTime at={item.since} />
      </span>
      <HideButtons items={[item]} />
    </li>
  );
}

// More rows at once would be slow to render.
const PAGE = 50;

function Cluster({ row, active }: { row: Row<AttentionItem>; active: boolean }) {
  const [open, setOpen] = useState(false);
  const [count, setCount] = useState(PAGE);
  const [first] = row.items;
  return (
    <>
      <li className={classes.attentionRow} data-active={active} data-severity={first.severity}>
        <SeverityIcon severity={first.severity} />
        <UnstyledButton className={classes.summary} aria-expanded={open} onClick={() => setOpen(!open)}>
          <span className={classes.clusterTitle}>
            {clusterTitle(row)}
            <IconChevronRight size={13} className={classes.chevron} data-open={open} aria-hidden />
          </span>
          <span className={classes.evidence}>
            <CodeSpans text={first.evidence} />
          </span>
        </UnstyledButton>
        <span className={shared.time}>
          <RelativeTime at={first.since} />
        </span>
        <HideButtons items={row.items} />
      </li>
      {open && row.items.slice(0, count).map((item) => <ItemRow key={item.id} item={item} />)}
      {open && count < row.items.length && (
        <li>
          <button type="button" className={shared.footerButton} onClick={() => setCount(count + PAGE)}>
            {row.items.length - count} more of them
          </button>
        </li>
      )}
    </>
  );
}

function SeverityIcon({ severity }: { severity: string }) {
  const Icon = severity === "info" ? IconInfoCircle : IconAlertTriangle;
  return <Icon size={16} stroke={1.8} className={classes.severityIcon} role="img" aria-label={severity} />;
}

export function linkFor(item: Pick<AttentionItem, "topic" | "play" | "session_id">) {
  if (item.topic) {
    const search = item.play ? { play: item.play } : {};
    return { to: "/shows/$topic" as const, params: { topic: item.topic }, search };
  }
  return { to: "/runs/$runId" as const, params: { runId: item.session_id ?? "" } };
}
