// Details of a play, in the order of ADR-0011: session, intent, facts, verdict, then diff and raw data.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Play, play as playQuery } from "@/api/shows";
import { toUnixSeconds } from "@/domain/shows/timeline";
import { Duration, RelativeTime } from "@/ui/data/time";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { CodeBlock } from "@/ui/text/code-block";
import { Markdown } from "@/ui/text/markdown";
import { PlayActions } from "./actions";
import { Attempts } from "./attempts";
import { BranchDiff } from "./branch-diff";
import classes from "./play-details.module.css";
import shared from "./show.module.css";

export function PlayDetails({ topic, play }: { topic: string; play: Play }) {
  const query = useQuery(playQuery(topic, play.name));
  const facts = query.data;
  return (
    <div className={classes.details}>
      <div className={classes.toolbar}>
        {play.session_id ? (
          <TextLink to="/runs/$runId" params={{ runId: play.session_id }} className={classes.sessionLink}>
            Open session
          </TextLink>
        ) : (
          <span className="muted">No session yet</span>
        )}
        <PlayActions topic={topic} play={play} />
      </div>
      {play.error && <p className={classes.error}>{play.error}</p>}
      {query.error && <p className={classes.error}>{query.error.message}</p>}
      {!facts && !query.error && <LoadingLine label="details" />}
      <StatusReason play={play} reason={facts?.raw_meta?.reason} />
      {facts?.intent && (
        <DetailSection title="Intent">
          <Markdown text={facts.intent} />
        </DetailSection>
      )}
      <PlayFacts play={play} />
      <GateVerdict play={play} />
      {(play.meta.attempt ?? 1) > 1 && <Attempts topic={topic} name={play.name} />}
      {play.meta.branch && (
        <LazyDetails title="Diff">
          <BranchDiff topic={topic} name={play.name} />
        </LazyDetails>
      )}
      {facts?.prompt && (
        <LazyDetails title="Prompt">
          <CodeBlock text={facts.prompt} label="Prompt" />
        </LazyDetails>
      )}
      <LazyDetails title="Raw data">
        <CodeBlock text={JSON.stringify(facts?.raw_meta ?? play.meta, null, 2)} label="_meta.json" />
        {facts?.raw_verdict && <CodeBlock text={JSON.stringify(facts.raw_verdict, null, 2)} label="_verdict.json" />}
      </LazyDetails>
      {facts?.errors.map((error) => (
        <p key={error} className={classes.error}>
          {error}
        </p>
      ))}
    </div>
  );
}

/** The reason that the director recorded, else the evidence of the state. */
function StatusReason({ play, reason }: { play: Play; reason: unknown }) {
  const reasons = (play.state?.reasons ?? []).map((item) => item.evidence ?? item.message);
  const lines = typeof reason === "string" && reason !== "" ? [reason] : reasons;
  if (lines.length === 0 || play.state?.tone === "success") return null;
  return (
    <DetailSection title="Status reason">
      {lines.map((line) => (
        <p key={line} className={classes.reason}>
          {line}
        </p>
      ))}
    </DetailSection>
  );
}

function PlayFacts({ play }: { play: Play }) {
  const { meta } = play;
  return (
    <dl className={shared.factList}>
      <Fact name="Duration">
        <Duration ms={play.duration_ms} />
      </Fact>
      <Fact name="Exit code">{meta.exit_code ?? "–"}</Fact>
      <Fact name="Attempts">{meta.attempt ?? "–"}</Fact>
      <Fact name="Status">
        <code>{meta.status ?? "–"}</code>
      </Fact>
      <Fact name="Started">
        <RelativeTime at={toUnixSeconds(meta.started_at)} />
      </Fact>
      {meta.branch && (
        <Fact name="Branch">
          <code>{meta.branch}</code>
        </Fact>
      )}
      {meta.merge_sha && (
        <Fact name="Merge commit">
          <code>{meta.merge_sha.slice(0, 12)}</code>
        </Fact>
      )}
    </dl>
  );
}

function GateVerdict({ play }: { play: Play }) {
  const { verdict } = play;
  if (!verdict || (verdict.gate_passed === null && !verdict.feedback)) return null;
  const outcome = verdict.gate_passed === null ? "undecided" : verdict.gate_passed ? "passed" : "failed";
  return (
    <DetailSection title={`Gate: ${outcome}`}>
      {verdict.feedback ? <Markdown text={verdict.feedback} /> : <span className="muted">No feedback</span>}
    </DetailSection>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function DetailSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.section}>
      <h3>{title}</h3>
      {children}
    </div>
  );
}

/** Collapsed at first; renders its content only when opened. */
export function LazyDetails({ title, children }: { title: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={classes.lazyDetails} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children}
    </details>
  );
}
