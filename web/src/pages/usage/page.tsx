// Tokens, money and time over a range, stacked by model, project, agent or show.
import { Button } from "@mantine/core";
import { IconChartBar, IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { downloadUsage, timeZone, type UsageQuery, type UsageReport, usage } from "@/api/usage";
import { type Measure, rangeStart, STACKS, type Stack } from "@/domain/usage/usage";
import { useNow } from "@/ui/data/use-now";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { runAction } from "@/ui/feedback/run-action";
import { TextLink } from "@/ui/link";
import { Page, Panel, Section } from "@/ui/page";
import { UsageChart } from "./chart";
import { Controls } from "./controls";
import { PartsTable } from "./parts-table";
import type { UsageSearch } from "./route";
import { TimesTable } from "./times-table";
import { TopRuns } from "./top-runs";
import { Totals } from "./totals";
import classes from "./usage.module.css";

const route = getRouteApi("/usage");

export function UsagePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = toQuery(search, useNow());
  const report = useQuery(usage(query));
  const change = (changes: UsageSearch) => void navigate({ search: { ...search, ...changes }, replace: true });
  return (
    <Page
      title="Usage"
      actions={
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconDownload size={14} stroke={1.8} />}
          onClick={() => void runAction(() => downloadUsage({ ...query, stack: query.stack ?? "model" }))}
        >
          CSV
        </Button>
      }
      bar={<Controls search={search} change={change} />}
    >
      <div className={classes.page}>
        <Loaded query={report} label="Usage">
          {(data) => <Report data={data} search={search} />}
        </Loaded>
      </div>
    </Page>
  );
}

function Report({ data, search }: { data: UsageReport; search: UsageSearch }) {
  // Of the data, which may still be that of the address before.
  const stack = (data.stack ?? "model") as Stack;
  const wanted = search.measure === "tokens" ? "tokens" : "cost";
  const measure: Measure = data.measure === "usage" ? wanted : data.measure;
  const isEmpty = (data.total.usage?.total ?? data.total.seconds ?? 0) === 0;
  if (isEmpty) {
    return (
      <EmptyState title={emptyTitle(measure)} icon={<IconChartBar size={22} stroke={1.7} />}>
        Runs report their tokens while they work. <TextLink to="/runs">Look at all runs</TextLink>, choose a longer
        range, or import your history with <code>li mirror claude</code>.
      </EmptyState>
    );
  }
  const shown = { data, measure, stack };
  return (
    <>
      <Totals {...shown} />
      <Section title={`By ${data.by} and ${STACKS[stack].toLowerCase()}`}>
        <Panel className={classes.panel}>
          <UsageChart {...shown} />
        </Panel>
      </Section>
      <Section title={`By ${STACKS[stack].toLowerCase()}`}>
        <PartsTable {...shown} />
      </Section>
      {data.top_runs.length > 0 && (
        <Section title="Top runs">
          <TopRuns runs={data.top_runs} />
        </Section>
      )}
      <Section title={`By ${data.by}`}>
        <TimesTable {...shown} />
      </Section>
    </>
  );
}

function emptyTitle(measure: Measure): string {
  if (measure === "waiting") return "No question waited for you in this range";
  return measure === "time" ? "No runs in this range" : "No usage in this range";
}

/** The request for an address. Whole hours and days, so that it stays the same for a while. */
function toQuery(search: UsageSearch, now: number): UsageQuery {
  const { range = "7d", since, until, measure = "cost", stack = "model", ...filters } = search;
  const isCustom = since !== undefined;
  const start = isCustom ? since : rangeStart(range, new Date(now * 1000));
  const isShort = isCustom ? until !== undefined && until - since <= 2 * 86_400 : range === "24h";
  return {
    ...filters,
    since: start,
    ...(isCustom && until !== undefined ? { until } : {}),
    by: isShort ? "hour" : "day",
    stack,
    measure: measure === "cost" || measure === "tokens" ? "usage" : measure,
    timezone: timeZone(),
  };
}
