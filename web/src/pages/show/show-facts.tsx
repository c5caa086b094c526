import type { Show } from "@/api/shows";
import { compact, cost, duration } from "@/domain/text/format";
import { ShowProgress } from "@/ui/data/show-progress";
import { UsageCost, UsageTokens } from "@/ui/data/show-usage";
import { Duration, RelativeTime } from "@/ui/data/time";
import { Fact } from "./detail-blocks";
import { PlayWorker } from "./play-worker";
import classes from "./show.module.css";

export function ShowFacts({ show }: { show: Show }) {
  return (
    <section className={classes.facts} aria-label="About">
      <p className={classes.goal}>{show.goal ?? "No goal"}</p>
      {show.plays_total > 0 && (
        <div className={classes.progress}>
          <ShowProgress show={show} />
          <span>
            {show.plays_merged}/{show.plays_total} merged
          </span>
        </div>
      )}
      <dl className={classes.factList}>
        {show.usage && show.usage.total > 0 && (
          <>
            <Fact name="Tokens">
              <UsageTokens usage={show.usage} />
            </Fact>
            <Fact name="Cost">
              <UsageCost usage={show.usage} />
            </Fact>
          </>
        )}
        {show.started_at != null && (
          <Fact name="Wall time">
            <WallTime from={show.started_at} to={show.ended_at} />
          </Fact>
        )}
        {show.budget.map((part) => (
          <BudgetMeter key={part.part} {...part} />
        ))}
      </dl>
      <dl className={classes.factList}>
        {show.repo && (
          <Fact name="Repository">
            <code>{show.repo}</code>
          </Fact>
        )}
        {show.integration_branch && (
          <Fact name="Branch">
            <code>{[show.base_branch, show.integration_branch].filter(Boolean).join(" → ")}</code>
          </Fact>
        )}
        {show.commit && (
          <Fact name="Commit">
            <code title={show.commit}>{show.commit.slice(0, 12)}</code>
          </Fact>
        )}
        {show.director && (
          <Fact name="Director">
            <PlayWorker worker={show.director} />
          </Fact>
        )}
        {show.machines.length > 0 && <Fact name="Runs on">{show.machines.join(", ")}</Fact>}
        <Fact name="Source">
          {show.status_source === "sqlite" ? "recorded by Lion Studio" : "its folder only: not imported yet"}
        </Fact>
        <Fact name="Updated">
          <RelativeTime at={show.updated_at} />
        </Fact>
      </dl>
    </section>
  );
}

function WallTime({ from, to }: { from: number; to: number | null | undefined }) {
  return to == null ? <Duration since={from} /> : <Duration ms={Math.max(0, to - from) * 1000} />;
}

const PARTS: Record<string, { name: string; text: (amount: number) => string }> = {
  tokens: { name: "Token budget", text: compact },
  cost_microusd: { name: "Cost budget", text: cost },
  seconds: { name: "Agent time budget", text: (seconds) => duration(seconds * 1000) },
};

function BudgetMeter({ part, spent, limit }: Show["budget"][number]) {
  const { name, text } = PARTS[part] ?? { name: part, text: String };
  const share = Math.round((spent / limit) * 100);
  return (
    <Fact name={name}>
      <span className={classes.budget}>
        {text(spent)} of {text(limit)}{" "}
        <meter
          className={classes.meter}
          aria-label={name}
          min={0}
          max={limit}
          high={limit * 0.8}
          value={Math.min(spent, limit)}
        />{" "}
        <span className="muted">{share} %</span>
      </span>
    </Fact>
  );
}
