// Details of a play, in the order of ADR-0011: session, intent, facts, verdict, then diff and raw data.
import { useQuery } from "@tanstack/react-query";
import type { Question } from "@/api/questions";
import { type Play, play as playQuery, type Show } from "@/api/shows";
import { type Check, readChecks } from "@/domain/questions/checks";
import { toUnixSeconds } from "@/domain/shows/timeline";
import { UsageCost, UsageTokens } from "@/ui/data/show-usage";
import { StatusHistory } from "@/ui/data/status-history";
import { Duration, RelativeTime } from "@/ui/data/time";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { CheckList } from "@/ui/questions/check-list";
import PlayDiff from "@/ui/questions/play-diff";
import { QuestionList } from "@/ui/questions/question-list";
import { CodeBlock } from "@/ui/text/code-block";
import { Markdown } from "@/ui/text/markdown";
import { PlayActions } from "./actions";
import { Attempts } from "./attempts";
import { DetailSection, Fact, LazyDetails } from "./detail-blocks";
import classes from "./play-details.module.css";
import { Blockers, FileProblems } from "./play-problems";
import shared from "./show.module.css";

interface DetailsProps {
  show: Show;
  play: Play;
  questions: readonly Question[];
  /** Opens another play. */
  open: (name: string) => void;
}

export function PlayDetails({ show, play, questions, open }: DetailsProps) {
  const { topic } = show;
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
          <span className="muted">{play.meta.started_at == null ? "No session yet" : "No session recorded"}</span>
        )}
        <PlayActions topic={topic} play={play} questions={questions} />
      </div>
      <div className={classes.questions}>
        <QuestionList questions={questions} within="play" />
      </div>
      {play.error && <p className={classes.error}>{play.error}</p>}
      {query.error && <p className={classes.error}>{query.error.message}</p>}
      {!facts && !query.error && <LoadingLine label="details" />}
      <Blockers show={show} play={play} open={open} />
      {questions.length === 0 && <StatusReason play={play} reason={facts?.raw_meta?.reason} />}
      <FileProblems play={play} />
      {facts?.intent && (
        <DetailSection title="Intent">
          <Markdown text={facts.intent} />
        </DetailSection>
      )}
      <PlayFacts play={play} />
      {questions.length === 0 && <GateVerdict play={play} checks={readChecks(facts?.raw_verdict?.checks)} />}
      {play.meta.started_at != null && <Attempts topic={topic} name={play.name} />}
      {play.meta.branch && (
        <LazyDetails title="Diff">
          <PlayDiff topic={topic} name={play.name} />
        </LazyDetails>
      )}
      {facts?.prompt && (
        <LazyDetails title="Prompt">
          <CodeBlock text={facts.prompt} label="Prompt" />
        </LazyDetails>
      )}
      {facts && facts.transitions.length > 0 && (
        <LazyDetails title="Status history">
          <StatusHistory transitions={facts.transitions} />
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
      {meta.exit_code != null && <Fact name="Exit code">{meta.exit_code}</Fact>}
      <Fact name="Attempts">{meta.attempt ?? "–"}</Fact>
      <Fact name="Started">
        <RelativeTime at={toUnixSeconds(meta.started_at)} />
      </Fact>
      {play.usage && play.usage.total > 0 && (
        <>
          <Fact name="Tokens">
            <UsageTokens usage={play.usage} />
          </Fact>
          <Fact name="Cost">
            <UsageCost usage={play.usage} />
          </Fact>
        </>
      )}
      {play.confinement && <Fact name="Agent">{play.confinement}</Fact>}
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

function GateVerdict({ play: { verdict }, checks }: { play: Play; checks: readonly Check[] }) {
  if (!verdict || (verdict.gate_passed === null && !verdict.feedback)) return null;
  const outcome = verdict.gate_passed === null ? "undecided" : verdict.gate_passed ? "passed" : "failed";
  return (
    <DetailSection title={`Gate: ${outcome}`}>
      {checks.length > 0 ? (
        <CheckList checks={checks} />
      ) : verdict.feedback ? (
        <Markdown text={verdict.feedback} />
      ) : (
        <span className="muted">No feedback</span>
      )}
    </DetailSection>
  );
}
