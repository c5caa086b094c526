// What keeps a play from being merged: plays that block it, conflicts, and files that are in no commit.
import { UnstyledButton } from "@mantine/core";
import type { Play, Show } from "@/api/shows";
import { escapeBidi } from "@/domain/text/bidi";
import { StatePill } from "@/ui/data/state-pill";
import { PlayActions } from "./actions";
import { DetailSection } from "./detail-blocks";
import classes from "./play-details.module.css";

/** The plays that block this one, with what can be done about them. */
export function Blockers({ show, play, open }: { show: Show; play: Play; open: (name: string) => void }) {
  if (play.blocked_by.length === 0) return null;
  return (
    <DetailSection title="Blocked by">
      <ul className={classes.blockers}>
        {play.blocked_by.map((name) => {
          const blocker = show.plays.find((other) => other.name === name);
          if (!blocker) return <li key={name}>{escapeBidi(name)}, which is not a play of this show</li>;
          return (
            <li key={name}>
              <UnstyledButton className={classes.blocker} onClick={() => open(name)}>
                {name}
              </UnstyledButton>
              <StatePill state={blocker.state} />
              <PlayActions topic={show.topic} play={blocker} named />
            </li>
          );
        })}
      </ul>
    </DetailSection>
  );
}

const REASONS: Record<string, string> = {
  filter: "its filter could not be applied",
  submodule: "it belongs to a submodule",
  ignored: "git ignores it",
};

export function FileProblems({ play }: { play: Play }) {
  const { conflict, left_out, left_out_dir, checkout_kept } = play;
  return (
    <>
      {conflict.length > 0 && (
        <DetailSection title="Conflicts with the integration branch">
          <Files paths={conflict.map((path) => ({ path }))} />
        </DetailSection>
      )}
      {left_out.length > 0 && (
        <DetailSection title="Files that are in no commit">
          <Files
            paths={left_out.map(({ path, why, detail }) => ({
              path,
              note: [REASONS[why] ?? why, detail].filter(Boolean).join(": "),
            }))}
          />
          {left_out_dir && (
            <p className="muted">
              Kept in <code>{escapeBidi(left_out_dir)}</code>
            </p>
          )}
        </DetailSection>
      )}
      {checkout_kept && (
        <DetailSection title="Checkout kept">
          <p className={classes.reason}>{escapeBidi(checkout_kept)}</p>
        </DetailSection>
      )}
    </>
  );
}

function Files({ paths }: { paths: { path: string; note?: string }[] }) {
  return (
    <ul className={classes.files}>
      {paths.map(({ path, note }) => (
        <li key={path}>
          <code>{escapeBidi(path)}</code> {note && <span className="muted">{note}</span>}
        </li>
      ))}
    </ul>
  );
}
