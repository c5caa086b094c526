// Search results; each links to its message.
import { IconRobot, IconSettings, IconTool, IconUser } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ComponentType, useRef } from "react";
import type { Hit } from "@/api/search";
import { shortId } from "@/domain/runs/short-id";
import { escapeBidi } from "@/domain/text/bidi";
import { highlightParts, searchTerms } from "@/domain/text/highlight";
import { RelativeTime } from "@/ui/data/time";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { ClickableRow, TextLink } from "@/ui/link";
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list";
import classes from "./search.module.css";

const ICONS: Record<string, ComponentType<{ size: number; stroke: number }>> = {
  user: IconUser,
  assistant: IconRobot,
  tool: IconTool,
  system: IconSettings,
};

export function Hits({ hits, query }: { hits: Hit[]; query: string }) {
  const navigate = useNavigate();
  const handle = useRef<VirtualListHandle>(null);
  const [at] = useListKeys({
    count: hits.length,
    open: (index) => {
      const hit = hits[index];
      if (hit?.session_id) void navigate(linkTo(hit, query));
    },
    reveal: (index) => handle.current?.scrollTo(index),
  });
  return (
    <VirtualList
      label="Matching messages"
      handle={handle}
      count={hits.length}
      estimate={72}
      keyOf={(index) => hits[index]?.message_id ?? index}
      render={(index) => {
        const hit = hits[index];
        return hit ? <Row hit={hit} query={query} active={index === at} /> : null;
      }}
    />
  );
}

/** Opens the run at the message, with the first term highlighted. */
function linkTo(hit: Hit, query: string) {
  const [find] = searchTerms(query);
  return {
    to: "/runs/$runId" as const,
    params: { runId: hit.session_id ?? "" },
    search: { m: hit.ord ?? hit.message_id, ...(find ? { find } : {}) },
  };
}

function Row({ hit, query, active }: { hit: Hit; query: string; active: boolean }) {
  const Icon = ICONS[hit.role ?? ""] ?? IconTool;
  const name = hit.session_name ?? (hit.session_id ? shortId(hit.session_id) : "no run");
  return (
    <ClickableRow className={classes.hit} data-active={active}>
      <div className={classes.header}>
        <Icon size={14} stroke={1.7} />
        <span className={classes.role}>{hit.role ?? "message"}</span>
        {hit.session_id ? (
          <TextLink className={classes.runLink} {...linkTo(hit, query)}>
            {escapeBidi(name)}
            {hit.ord !== null && <span className={classes.ord}> #{hit.ord}</span>}
          </TextLink>
        ) : (
          <span className={classes.runLink}>{escapeBidi(name)}</span>
        )}
        {hit.project && <span className={classes.project}>{escapeBidi(hit.project)}</span>}
        <span className={classes.time}>
          <RelativeTime at={hit.created_at} />
        </span>
      </div>
      <p className={classes.snippet}>
        {highlightParts(escapeBidi(hit.snippet), query).map(({ text, isMatch: found }, index) =>
          found ? <mark key={index}>{text}</mark> : text,
        )}
      </p>
    </ClickableRow>
  );
}
