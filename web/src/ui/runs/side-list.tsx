// The rows of the list beside a run.
import { memo, useEffect, useEffectEvent, useRef } from "react";
import { apiFilters, type RunsSearch } from "@/api/run-list/search";
import type { Run } from "@/api/runs";
import { modelName } from "@/domain/runs/model-name";
import { cost, plural } from "@/domain/text/format";
import { StatePill, StateSummary } from "../data/state-pill";
import { RelativeTime } from "../data/time";
import { ClickableRow, TextLink } from "../link";
import { VirtualList, type VirtualListHandle } from "../list/virtual-list";
import classes from "./beside-run.module.css";
import { StarMark } from "./label-chips";
import { useRunList } from "./use-run-list";

const ROW_HEIGHT = 58;

export function SideList({ search, runId }: { search: RunsSearch; runId: string }) {
  const list = useRunList(apiFilters(search));
  const { runs, newCount, showNew } = list;
  const handle = useRef<VirtualListHandle>(null);
  const top = useRef(true);
  const isKnown = runs.some(({ id }) => id === runId);
  // Only another run moves the list; rows that come in do not.
  const reveal = useEffectEvent((id: string) => handle.current?.scrollTo(runs.findIndex((run) => run.id === id)));
  useEffect(() => {
    if (isKnown) reveal(runId);
  }, [runId, isKnown]);
  useEffect(() => {
    if (newCount > 0 && top.current) showNew();
  }, [newCount, showNew]);
  const filters = Object.keys(search).filter((name) => name !== "sort" && name !== "order").length;
  return (
    <>
      <div className={classes.heading}>
        <TextLink to="/runs" search={search}>
          Runs
        </TextLink>
        {filters > 0 && <span className="muted">{plural(filters, "filter")}</span>}
        {newCount > 0 && (
          <button type="button" className={classes.newRuns} onClick={showNew}>
            {plural(newCount, "new run")}
          </button>
        )}
      </div>
      <div className={classes.list}>
        <VirtualList
          label="Runs of the list"
          handle={handle}
          count={runs.length}
          estimate={ROW_HEIGHT}
          keyOf={(index) => runs[index]?.id ?? index}
          nearEnd={list.hasMore ? list.more : undefined}
          onScroll={(element) => {
            top.current = element.scrollTop < 10;
          }}
          render={(index) => {
            const run = runs[index];
            return run ? <SideRow run={run} current={run.id === runId} /> : null;
          }}
        />
      </div>
    </>
  );
}

const SideRow = memo(function SideRow({ run, current }: { run: Run; current: boolean }) {
  return (
    <ClickableRow className={classes.row} data-current={current}>
      <div className={classes.name}>
        <StarMark run={run} />
        <TextLink
          to="/runs/$runId"
          params={{ runId: run.id }}
          replace
          className={classes.link}
          title={run.display_name}
          aria-current={current ? "page" : undefined}
        >
          {run.display_name}
        </TextLink>
      </div>
      <div className={classes.facts}>
        <StatePill state={{ ...run.state, reasons: [] }} plain />
        <StateSummary state={run.state} />
        {!run.state.summary && run.model && <span>{modelName(run.model)}</span>}
        {!run.state.summary && run.cost_microusd !== null && <span>{cost(run.cost_microusd)}</span>}
        <span className={classes.time}>
          <RelativeTime at={run.updated_at ?? run.created_at} />
        </span>
      </div>
    </ClickableRow>
  );
});
