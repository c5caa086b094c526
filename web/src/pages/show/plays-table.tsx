// The plays of a show. Rows expand in place: a drawer would take width from the graph.
import { Collapse, Tooltip } from "@mantine/core";
import { IconChevronRight, IconLock, IconShieldCheck, IconShieldOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { Question } from "@/api/questions";
import { type Play, type PlayChanges, type Show, showChanges } from "@/api/shows";
import { toUnixSeconds } from "@/domain/shows/timeline";
import { formatInteger, plural } from "@/domain/text/format";
import { UsageCost } from "@/ui/data/show-usage";
import { Duration, RelativeTime } from "@/ui/data/time";
import { EmptyState } from "@/ui/feedback/placeholders";
import { Panel } from "@/ui/page";
import { CopyButton } from "@/ui/text/copy-button";
import { PlayBadges } from "./play-badges";
import { PlayDetails } from "./play-details";
import { PlayWorker } from "./play-worker";
import classes from "./plays-table.module.css";
import shared from "./show.module.css";

export const rowId = (name: string): string => `play-${name}`;

interface TableProps {
  show: Show;
  /** Those of the open play. */
  questions: readonly Question[];
  opened: string | undefined;
  marked: string | undefined;
  hover: (name: string | undefined) => void;
  toggle: (name: string) => void;
  open: (name: string) => void;
}

export function PlaysTable({ show, questions, opened, marked, hover, toggle, open }: TableProps) {
  const changes = useQuery(showChanges(show.topic)).data?.plays;
  if (show.plays.length === 0) return <NoPlays show={show} />;
  const path = new Set(show.critical_path);
  const running = new Set(show.running_plays);
  const hasWorkers = show.director != null || show.plays.some(({ worker }) => worker != null);
  return (
    <section className={shared.section} aria-label="Plays">
      <div className={shared.sectionHeader}>
        <h2>Plays</h2>
        {path.size > 1 && <span className="muted">critical path: {show.critical_path.join(" → ")}</span>}
      </div>
      <Panel>
        <div className={classes.header} data-workers={hasWorkers} aria-hidden>
          <span>Play</span>
          <span>State</span>
          {hasWorkers && <span>Worker</span>}
          <span>Depends on</span>
          <span>Changes</span>
          <span>Cost</span>
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
                changes={changes?.[play.name]}
                critical={path.has(play.name)}
                running={running.has(play.name)}
                hasWorkers={hasWorkers}
                open={play.name === opened}
                toggle={toggle}
              />
              <Collapse expanded={play.name === opened}>
                {play.name === opened && <PlayDetails show={show} play={play} questions={questions} open={open} />}
              </Collapse>
            </li>
          ))}
        </ul>
      </Panel>
    </section>
  );
}

function NoPlays({ show: { topic, show_md } }: { show: Show }) {
  if (show_md)
    return (
      <EmptyState title="No plays yet">
        The plan below has no plays. Add them to <code>plays</code> in <code>_show.md</code>, then run the show.
      </EmptyState>
    );
  const command = `li show plan ${topic} --goal '…'`;
  return (
    <EmptyState title="No plan yet" action={<CopyButton text={command} label={`Copy ${command}`} />}>
      The folder of this show has no plan. Write one in the repository with <code>{command}</code>
    </EmptyState>
  );
}

interface RowProps {
  play: Play;
  changes: PlayChanges | undefined;
  critical: boolean;
  running: boolean;
  /** The show runs on several machines. */
  hasWorkers: boolean;
  open: boolean;
  toggle: (name: string) => void;
}

function Row({ play, changes, critical, running, hasWorkers, open, toggle }: RowProps) {
  const started = toUnixSeconds(play.meta.started_at);
  return (
    <button
      type="button"
      className={classes.row}
      aria-expanded={open}
      data-play={play.name}
      data-workers={hasWorkers}
      onClick={() => toggle(play.name)}
    >
      <span className={classes.playCell}>
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        <span className={classes.playName} title={play.name}>
          {play.name}
        </span>
        {critical && <span className={classes.criticalBadge}>critical</span>}
        {play.meta.playbook && <span className="muted">{play.meta.playbook}</span>}
        {play.confinement && <Confinement sentence={play.confinement} />}
      </span>
      <PlayBadges play={play} />
      {hasWorkers && (
        <span className={classes.workerCell} data-empty={play.worker == null}>
          <PlayWorker worker={play.worker} />
        </span>
      )}
      <span
        className={classes.dependencies}
        data-blocked={play.blocked_by.length > 0}
        title={play.depends_on.join(", ")}
      >
        {play.blocked_by.length > 0 ? (
          <>
            <IconLock size={12} aria-hidden /> blocked by {play.blocked_by.join(", ")}
          </>
        ) : (
          play.depends_on.join(", ")
        )}
      </span>
      <span className={`${classes.number} ${classes.changesCell}`}>
        <Changes changes={changes} />
      </span>
      <span className={`${classes.number} ${classes.costCell}`}>
        <UsageCost usage={play.usage} />
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

/** "+12 −3" in 2 files. */
function Changes({ changes }: { changes: PlayChanges | undefined }) {
  if (!changes) return <span>–</span>;
  return (
    <Tooltip label={plural(changes.files, "changed file")}>
      <span>
        <span className={classes.additions}>+{formatInteger(changes.additions)}</span>{" "}
        <span className={classes.deletions}>−{formatInteger(changes.deletions)}</span>
      </span>
    </Tooltip>
  );
}

function Confinement({ sentence }: { sentence: string }) {
  const ShieldIcon = sentence.startsWith("confined") ? IconShieldCheck : IconShieldOff;
  return (
    <Tooltip label={sentence}>
      <ShieldIcon size={14} stroke={1.7} className={classes.shield} role="img" aria-label={sentence} />
    </Tooltip>
  );
}
