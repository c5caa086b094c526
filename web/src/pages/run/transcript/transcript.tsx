// The list of messages of this run: from rows to what each of them shows.
import { IconGitFork } from "@tabler/icons-react";
import { type Ref, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import type { Store } from "@/api/store";
import { plural } from "@/domain/text/format";
import { layoutRows, type RowLayout } from "@/domain/transcript/row-layout";
import { EmptyState, ErrorState } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import classes from "../run-view.module.css";
import type { Cursor } from "../use-cursor";
import { MessageRow } from "./message-row";
import { MessageScroller, type ScrollerHandle } from "./message-scroller";
import { type Detail, inheritedSegments, type Segment, segmentAt } from "./segments";
import { useMessages } from "./use-messages";

interface TranscriptProps {
  detail: Detail;
  cursor: Cursor;
  list: Ref<ScrollerHandle>;
  visibleRange: Store<readonly [number, number]>;
  /** The first of them are here, or there are none. */
  onShown: () => void;
}

export function Transcript({ detail, cursor, list, visibleRange: seen, onShown }: TranscriptProps) {
  const { session } = detail;
  const live = session.status === "running";
  // The answer is a new object with every refetch; what was inherited never changes.
  const inheritedKey = JSON.stringify(inheritedSegments(detail));
  const inherited = useMemo(
    () => JSON.parse(inheritedKey) as ReturnType<typeof inheritedSegments>,
    [inheritedKey],
  );
  const inheritedCount = inherited.reduce((sum, { last_ord }) => sum + last_ord + 1, 0);
  const [startAt] = useState(cursor.ord);
  const begin =
    startAt !== undefined ? inheritedCount + startAt : live ? inheritedCount + session.message_count : 0;
  const loaded = useMessages(session.id, inherited, session.message_count, begin);
  const settled = loaded.messages.size > 0 || loaded.rows === 0 || loaded.error !== null;
  useEffect(() => {
    if (settled) return whenIdle(onShown);
  }, [settled]);
  const { opened, toggle } = useExpandedRows();
  const layouts = useMemo(() => layoutRows(loaded.messages, opened), [loaded.messages, opened]);
  const newest = useRef(layouts);
  newest.current = layouts;
  const inner = useRef<ScrollerHandle>(null);
  useImperativeHandle(list, () => ({
    show: (ord) => {
      const row = Math.min(inheritedCount + ord, loaded.rows - 1);
      // What is there decides in which row it is shown, so that is fetched first.
      const show = (): void => inner.current?.show(visibleRow(newest.current, row));
      void loaded.fetchAround(row).then(() => requestAnimationFrame(show));
    },
    follow: () => inner.current?.follow(),
    first: () => (inner.current?.first() ?? 0) - inheritedCount,
  }));
  const { setRange } = loaded;
  const onRange = useCallback(
    (first: number, last: number) => {
      setRange(first, last);
      seen.set([first - inheritedCount, last - inheritedCount]);
    },
    [setRange, seen, inheritedCount],
  );
  const lanes = useMemo(
    () => new Map(detail.branches.map(({ id }, index) => [id, index])),
    [detail.branches],
  );
  const names = useMemo(
    () => new Map(detail.branches.map(({ id, name }) => [id, name ?? id.slice(-8)])),
    [detail.branches],
  );
  if (loaded.error && loaded.messages.size === 0)
    return <ErrorState error={loaded.error} label="The messages" retry={() => void loaded.retry?.()} />;
  if (loaded.rows === 0) return <EmptyTranscript live={live} />;
  const currentRow = cursor.ord === undefined ? -1 : visibleRow(layouts, inheritedCount + cursor.ord);
  return (
    <MessageScroller
      handle={inner}
      rows={loaded.rows}
      live={live}
      begin={begin}
      atEnd={live && startAt === undefined}
      onRange={onRange}
      isLoaded={(row) => loaded.messages.has(row)}
      render={(row) => {
        const message = loaded.messages.get(row);
        const layout = layouts.get(row);
        const segment = segmentAt(loaded.segments, row);
        if (!message || !layout || !segment || layout.kind === "nested") return null;
        const branch = message.branch_id ?? "";
        const previous = loaded.messages.get(row - 1)?.branch_id ?? "";
        const several = segment.from === undefined && lanes.size > 1;
        return (
          <>
            {row === segment.start && inherited.length > 0 && <SegmentHeading segment={segment} />}
            <MessageRow
              runId={segment.from?.session_id ?? session.id}
              row={row}
              message={message}
              result={
                resultOf(layout) === undefined ? undefined : loaded.messages.get(resultOf(layout) ?? -1)
              }
              layout={layout}
              opened={opened.has(row)}
              toggle={toggle}
              current={row === currentRow}
              inherited={segment.from !== undefined}
              lane={several ? lanes.get(branch) : undefined}
              laneName={several && branch !== previous ? names.get(branch) : undefined}
              go={cursor.go}
            />
            {segment.from === undefined && (
              <ForkLinks detail={detail} ord={message.ord} layout={layout} before={inheritedCount} />
            )}
          </>
        );
      }}
    />
  );
}

/** After what is about to be drawn, and soon in any case. */
function whenIdle(work: () => void): () => void {
  // Safari does not know when it is idle.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(work, 50);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work, { timeout: 500 });
  return () => cancelIdleCallback(id);
}

function useExpandedRows() {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((row: number) => {
    setOpened((old) => {
      const next = new Set(old);
      if (!next.delete(row)) next.add(row);
      return next;
    });
  }, []);
  return { opened, toggle };
}

function resultOf(layout: RowLayout): number | undefined {
  return layout.kind === "call" || layout.kind === "failures" ? layout.result : undefined;
}

/** The row in which a message is shown. */
function visibleRow(layouts: ReadonlyMap<number, RowLayout>, row: number): number {
  const layout = layouts.get(row);
  return layout?.kind === "nested" ? layout.row : row;
}

function EmptyTranscript({ live }: { live: boolean }) {
  return (
    <EmptyState title={live ? "Nothing was said yet" : "Nothing was said in this run"}>
      {live ? "Messages appear here as the agent writes them." : "It ended before its first message."}
    </EmptyState>
  );
}

function SegmentHeading({ segment }: { segment: Segment }) {
  if (!segment.from) return <div className={classes.divider}>This run begins here</div>;
  const { session_id, session_name, name } = segment.from;
  return (
    <div className={classes.divider}>
      <IconGitFork size={13} /> Inherited: {plural(segment.count, "message")} of{" "}
      <TextLink to="/runs/$runId" params={{ runId: session_id }}>
        {session_name ?? name ?? session_id.slice(-8)}
      </TextLink>
    </div>
  );
}

interface ForksProps {
  detail: Detail;
  ord: number;
  layout: RowLayout;
  before: number;
}

function ForkLinks({ detail, ord, layout, before }: ForksProps) {
  const result = resultOf(layout);
  const ords = [ord, ...(result === undefined ? [] : [result - before])];
  const forks = detail.forks.filter(({ session_ord }) => session_ord !== null && ords.includes(session_ord));
  return forks.map((fork) => (
    <div key={fork.branch_id} className={classes.divider} data-fork>
      <IconGitFork size={13} /> Forked here:{" "}
      <TextLink to="/runs/$runId" params={{ runId: fork.session_id }}>
        {fork.session_name ?? fork.name ?? fork.session_id.slice(-8)}
      </TextLink>
      {fork.status && <span>({fork.status.replace("_", " ")})</span>}
    </div>
  ));
}
