// The longest and the most expensive run of the last 30 days.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { topRun } from "@/api/home";
import type { Run } from "@/api/runs";
import { Cost } from "@/ui/data/amounts";
import { Duration } from "@/ui/data/time";
import { useNow } from "@/ui/data/use-now";
import { TextLink } from "@/ui/link";
import classes from "./usage-sums.module.css";

const DAYS_30 = 30 * 86_400;
const HOUR = 3600;

export function TopRuns() {
  const since = Math.floor(useNow() / HOUR) * HOUR - DAYS_30;
  const longest = useQuery(topRun("duration", since)).data;
  const dearest = useQuery(topRun("cost", since)).data;
  return (
    <dl className={classes.top}>
      <Top name="Longest, 30 days" run={longest} amount={(run) => <Duration ms={run.duration_ms} since={null} />} />
      <Top
        name="Most expensive"
        run={dearest?.cost_microusd ? dearest : undefined}
        amount={(run) => <Cost microusd={run.cost_microusd} />}
      />
    </dl>
  );
}

function Top({ name, run, amount }: { name: string; run: Run | null | undefined; amount: (run: Run) => ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {run && (
          <TextLink to="/runs/$runId" params={{ runId: run.id }}>
            {run.display_name}
          </TextLink>
        )}
      </dd>
      <dd>{run && amount(run)}</dd>
    </div>
  );
}
