// Lines between messages: where inherited messages begin and end, and where other runs were forked.
import { IconGitFork } from "@tabler/icons-react";
import { plural } from "@/domain/text/format";
import { EmptyState } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { ForkLink } from "../../fork-link";
import classes from "../../run-view.module.css";
import { ForkComposer } from "../../talk/fork-at";
import type { Detail, Segment } from "../segments";

export function SegmentHeading({ segment, detail: { session } }: { segment: Segment; detail: Detail }) {
  if (!segment.from)
    return <div className={classes.divider}>{session.continues ? "Continued here" : "Start of this run"}</div>;
  const { session_id, session_name, name } = segment.from;
  const isContinued = session.continues === session_id;
  return (
    <div className={classes.divider}>
      <IconGitFork size={13} /> {isContinued ? "Continues: " : "Inherited: "}
      {plural(segment.count, isContinued ? "earlier message" : "message")} from{" "}
      <TextLink to="/runs/$runId" params={{ runId: session_id }}>
        {session_name ?? name ?? session_id.slice(-8)}
      </TextLink>
    </div>
  );
}

/** What stands below a row: the runs that were forked there, and the composer of another one. */
export function BelowRow(props: { detail: Detail; ords: number[] }) {
  return (
    <>
      <ForkLinks {...props} />
      <ForkComposer {...props} />
    </>
  );
}

function ForkLinks({ detail, ords }: { detail: Detail; ords: number[] }) {
  const forks = detail.forks.filter(({ session_ord }) => session_ord !== null && ords.includes(session_ord));
  return forks.map((fork) => (
    <div key={fork.branch_id} className={classes.divider} data-fork>
      <IconGitFork size={13} /> Forked here: <ForkLink fork={fork} session={detail.session} />
      {fork.status && <span>({fork.status.replace("_", " ")})</span>}
    </div>
  ));
}

export function EmptyTranscript({ live, clear }: { live: boolean; clear: (() => void) | undefined }) {
  if (clear)
    return (
      <EmptyState title="No messages match">
        <button type="button" className={classes.linkButton} onClick={clear}>
          Show all messages
        </button>
      </EmptyState>
    );
  return (
    <EmptyState title={live ? "No messages yet" : "No messages"}>
      {live ? "Messages appear here as the agent writes them." : "The run ended before its first message."}
    </EmptyState>
  );
}
