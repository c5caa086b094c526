// The attempts of a play, and the diff between two of them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Attempt, attempts } from "@/api/shows";
import { toUnixSeconds } from "@/domain/shows/timeline";
import { RelativeTime } from "@/ui/data/time";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import PlayDiff from "@/ui/questions/play-diff";
import { Markdown } from "@/ui/text/markdown";
import { DetailSection, LazyDetails } from "./detail-blocks";
import classes from "./play-details.module.css";
import badges from "./plays-table.module.css";

export function Attempts({ topic, name }: { topic: string; name: string }) {
  const query = useQuery(attempts(topic, name));
  return (
    <DetailSection title="Attempts">
      <Loaded query={query} label="Attempts">
        {(data) => (
          <>
            <div className={classes.attempts}>
              {data.attempts.map((attempt) => (
                <AttemptCard key={attempt.attempt} attempt={attempt} />
              ))}
            </div>
            {data.attempts.length > 1 && <AttemptDiff topic={topic} name={name} all={data.attempts} />}
          </>
        )}
      </Loaded>
    </DetailSection>
  );
}

function AttemptCard({ attempt }: { attempt: Attempt }) {
  const passed = attempt.verdict?.gate_passed ?? attempt.verdict?.passed;
  const feedback = attempt.verdict?.feedback ?? attempt.verdict?.summary;
  const outcome = passed === true ? "gate passed" : passed === false ? "gate failed" : "not gated";
  return (
    <div className={classes.attempt} data-current={attempt.current}>
      <div className={classes.attemptHeader}>
        <b>Attempt {attempt.attempt}</b>
        <span className={badges.badge} data-kind="gate" data-tone={gateTone(passed)}>
          {outcome}
        </span>
        {attempt.session_id && (
          <TextLink to="/runs/$runId" params={{ runId: attempt.session_id }}>
            Session
          </TextLink>
        )}
        <span className="muted">
          <RelativeTime at={toUnixSeconds(attempt.meta?.ended_at)} />
        </span>
      </div>
      {attempt.confinement && <div className="muted">Agent: {attempt.confinement}</div>}
      {attempt.gate_confinement.map((sentence) => (
        <div key={sentence} className="muted">
          Gates: {sentence}
        </div>
      ))}
      {typeof feedback === "string" && feedback !== "" && <Markdown text={feedback} />}
    </div>
  );
}

function gateTone(passed: unknown): string {
  if (passed === true) return "success";
  return passed === false ? "danger" : "neutral";
}

function AttemptDiff({ topic, name, all }: { topic: string; name: string; all: Attempt[] }) {
  const last = all.at(-1)?.attempt ?? 1;
  const [later, setLater] = useState(last);
  return (
    <LazyDetails title="Diff between attempts">
      <label className="muted">
        From attempt {later - 1} to{" "}
        <select value={later} onChange={(event) => setLater(Number(event.target.value))}>
          {all.slice(1).map(({ attempt }) => (
            <option key={attempt} value={attempt}>
              {attempt}
            </option>
          ))}
        </select>
      </label>
      <PlayDiff topic={topic} name={name} attempt={later} against={later - 1} />
    </LazyDetails>
  );
}
