// Rows of the results; each message links to its place in the run.
import { UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconRobot, IconSettings, IconTool, IconUser } from "@tabler/icons-react";
import type { ComponentType, MouseEvent } from "react";
import type { Hit } from "@/api/search";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { highlightParts, searchTerms } from "@/domain/text/highlight";
import { StateIcon } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { ClickableRow, TextLink } from "@/ui/link";
import classes from "./search.module.css";
import type { Row } from "./use-results";

const ICONS: Record<string, ComponentType<{ size: number; stroke: number }>> = {
  user: IconUser,
  assistant: IconRobot,
  tool: IconTool,
  system: IconSettings,
};
const ROLES: Record<string, string> = { user: "User", assistant: "Assistant", tool: "Tool", system: "System" };

interface ResultRowProps {
  row: Row;
  terms: string;
  active: boolean;
  select: () => void;
  /** Whether the preview is open below the row; undefined where it is at the side. */
  preview: boolean | undefined;
}

export function ResultRow({ row, terms, active, select, preview }: ResultRowProps) {
  if (row.kind === "run") return <RunHeading row={row} />;
  if (row.kind === "hit")
    return <HitRow hit={row.hit} terms={terms} active={active} select={select} preview={preview} />;
  if (row.kind === "more")
    return (
      <UnstyledButton className={classes.moreRow} data-active={active} onClick={row.open}>
        {row.count.toLocaleString("en")} more in this run
      </UnstyledButton>
    );
  const [find] = searchTerms(terms);
  return (
    <div className={classes.moreRow} data-active={active}>
      <TextLink to="/runs/$runId" params={{ runId: row.run.session_id ?? "" }} search={find ? { find } : {}}>
        {plural(row.count, "more match", "more matches")}: find them in the run
      </TextLink>
    </div>
  );
}

function RunHeading({ row: { run } }: { row: Extract<Row, { kind: "run" }> }) {
  const { session_id: id, name, state, project, agent_name: agent, count } = run;
  return (
    <div className={classes.runHeading}>
      <h2>
        {id ? (
          <TextLink to="/runs/$runId" params={{ runId: id }}>
            {escapeBidi(name ?? id)}
          </TextLink>
        ) : (
          "Messages without a run"
        )}
      </h2>
      {state && (
        <span className={classes.state} data-tone={state.tone}>
          <StateIcon icon={state.icon} /> {state.label}
        </span>
      )}
      <span className={classes.project}>
        {[project, agent]
          .filter(Boolean)
          .map((text) => escapeBidi(text ?? ""))
          .join(" · ")}
      </span>
      <span className={classes.runCount}>{plural(count, "match", "matches")}</span>
    </div>
  );
}

/** Opens the run at the message, with the first term highlighted. */
export function linkTo(hit: Hit, terms: string) {
  const [find] = searchTerms(terms);
  return {
    to: "/runs/$runId" as const,
    params: { runId: hit.session_id ?? "" },
    search: { m: hit.ord ?? hit.message_id, ...(find ? { find } : {}) },
  };
}

interface HitRowProps {
  hit: Hit;
  terms: string;
  active: boolean;
  select: () => void;
  preview: boolean | undefined;
}

function HitRow({ hit, terms, active, select, preview }: HitRowProps) {
  const Icon = (hit.tool ? IconTool : ICONS[hit.role ?? ""]) ?? IconTool;
  const who = hit.tool ? `${hit.tool}${hit.role === "tool" ? " result" : ""}` : (ROLES[hit.role ?? ""] ?? "Message");
  return (
    <ClickableRow className={classes.hit} data-active={active}>
      <div className={classes.header}>
        <Icon size={14} stroke={1.7} />
        {hit.session_id ? (
          <TextLink className={classes.runLink} {...linkTo(hit, terms)}>
            {escapeBidi(who)}
            {hit.ord !== null && <span className={classes.ord}> #{hit.ord}</span>}
          </TextLink>
        ) : (
          <span className={classes.runLink}>{escapeBidi(who)}</span>
        )}
        <span className={classes.time}>
          <RelativeTime at={hit.created_at} />
        </span>
        {preview !== undefined && hit.session_id && (
          <UnstyledButton
            className={classes.previewButton}
            aria-expanded={preview}
            aria-label={`Preview ${who}${hit.ord === null ? "" : ` #${hit.ord}`}`}
            onClick={(event: MouseEvent) => {
              event.stopPropagation();
              select();
            }}
          >
            <IconChevronDown size={15} />
          </UnstyledButton>
        )}
      </div>
      <p className={classes.snippet}>
        <Marked text={hit.snippet} terms={terms} />
      </p>
    </ClickableRow>
  );
}

/** A text with the terms marked. */
export function Marked({ text, terms }: { text: string; terms: string }) {
  return highlightParts(escapeBidi(text), terms).map((part, index) =>
    part.isMatch ? <mark key={index}>{part.text}</mark> : part.text,
  );
}
