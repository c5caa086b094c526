// The plays of a show. Rows expand in place: a drawer would take width from the graph.
import { Collapse } from "@mantine/core";
import { IconChevronRight, IconLock } from "@tabler/icons-react";
import type { Play, Show } from "@/api/shows";
import { toUnixSeconds } from "@/domain/shows/timeline";
import { Duration, RelativeTime } from "@/ui/data/time";
import { EmptyState } from "@/ui/feedback/placeholders";
import { Panel } from "@/ui/page";
import { PlayBadges } from "./play-badges";
import { PlayDetails } from "./play-details";
import classes from "./plays-table.module.css";
import shared from "./show.module.css";

export const rowId = (name: string): string => `play-${name}`;

interface TableProps {
  show: Show;
  opened: string | undefined;
  marked: string | undefined;
  hover: (name: string | undefined) => void;
  toggle: (name: string) => void;
}

export function PlaysTable({ show, opened, marked, hover, toggle }: TableProps) {
  if (show.plays.length === 0) return <EmptyState title="No plays yet">The plan is empty.</EmptyState>;
  const path = new Set(show.critical_path);
  const running = new Set(show.running_plays);
  return (
    <section className={shared.section} aria-label="Plays">
      <div className={shared.sectionHeader}>
        <h2>Plays</h2>
        {path.size > 1 && <span className="muted">critical path: {show.critical_path.join(" → ")}</span>}
      </div>
      <Panel>
        <div className={classes.header} aria-hidden>
          <span>Play</span>
          <span>State</span>
          <span>Depends on</span>
          <span>Attempt</span>
          <span>Duration</span>
          <span>Updated</span>
        </div>
        <ul className="plain-list">
          {show.plays.map((play) => (
            <li
              key={play.name}
              id={rowId(play.name)}
              className={classes.item}
              data-marked={play.name === marked}
              onMouseEnter={() => hover(play.name)}
              onMouseLeave={() => hover(undefined)}
            >
              <Row
                play={play}
                critical={path.has(play.name)}
                running={running.has(play.name)}
                open={play.name === opened}
                toggle={toggle}
              />
              <Collapse expanded={play.name === opened}>
                {play.name === opened && <PlayDetails topic={show.topic} play={play} />}
              </Collapse>
            </li>
          ))}
        </ul>
      </Panel>
    </section>
  );
}

interface RowProps {
  play: Play;
  critical: boolean;
  running: boolean;
  open: boolean;
  toggle: (name: string) => void;
}

function Row({ play, critical, running, open, toggle }: RowProps) {
  const started = toUnixSeconds(play.meta.started_at);
  return (
    <button
      type="button"
      className={classes.row}
      aria-expanded={open}
      data-play={play.name}
      onClick={() => toggle(play.name)}
    >
      <span className={classes.playCell}>
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        <span className={classes.playName}>{play.name}</span>
        {critical && <span className={classes.criticalBadge}>critical</span>}
        {play.meta.playbook && <span className="muted">{play.meta.playbook}</span>}
      </span>
      <PlayBadges play={play} />
      <span className={classes.dependencies}>
        {play.blocked_by.length > 0 ? (
          <>
            <IconLock size={12} aria-hidden /> blocked by {play.blocked_by.join(", ")}
          </>
        ) : (
          play.depends_on.join(", ")
        )}
      </span>
      <span className={`${classes.number} ${classes.attemptCell}`}>{play.meta.attempt ?? "–"}</span>
      <span className={`${classes.number} ${classes.durationCell}`}>
        <Duration ms={play.duration_ms} since={running ? started : null} />
      </span>
      <span className={classes.number}>
        <RelativeTime at={play.updated_at} />
      </span>
    </button>
  );
}
