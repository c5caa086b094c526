// The transcript of a run: loads the messages around the visible rows and lays them out.
import { IconGitFork } from "@tabler/icons-react";
import {
  type Ref,
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Store } from "@/api/store";
import { plural } from "@/domain/text/format";
import { layoutRows, type RowLayout } from "@/domain/transcript/row-layout";
import { EmptyState, ErrorState } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { useLatest } from "@/ui/use-latest";
import { ForkLink } from "../fork-link";
import classes from "../run-view.module.css";
import type { Cursor } from "../use-cursor";
import { MessageRow } from "./message-row";
import { MessageScroller, type ScrollerHandle } from "./message-scroller";
import { type Detail, type Segment, segmentAt, useInherited } from "./segments";
import { useMessages } from "./use-messages";

interface TranscriptProps {
  detail: Detail;
  cursor: Cursor;
  list: Ref<ScrollerHandle>;
  visibleRange: Store<readonly [number, number]>;
  /** Called once, after the first messages are on the screen or turn out to be missing. */
  onShown: () => void;
}

export function Transcript({ detail, cursor, list, visibleRange, onShown }: TranscriptProps) {
  const { session } = detail;
  const live = session.state.group === "running";
  const inherited = useInherited(detail);
  const inheritedCount = inherited.reduce((sum, { last_ord }) => sum + last_ord + 1, 0);
  const [startOrd] = useState(cursor.ord);
  const startRow =
    startOrd !== undefined ? inheritedCount + startOrd : live ? inheritedCount + session.message_count : 0;
  const loaded = useMessages(session.id, inherited, session.message_count, startRow);
  useOnceIdle(loaded.messages.size > 0 || loaded.rows === 0 || loaded.error !== null, onShown);
  const { expanded, toggle } = useExpandedRows();
  const layouts = useMemo(() => layoutRows(loaded.messages, expanded), [loaded.messages, expanded]);
  const scroller = useTranscriptHandle(list, loaded, layouts, inheritedCount);
  const { setRange } = loaded;
  const onRange = useCallback(
    (first: number, last: number) => {
      setRange(first, last);
      visibleRange.set([first - inheritedCount, last - inheritedCount]);
    },
    [setRange, visibleRange, inheritedCount],
  );
  const branches = useMemo(
    () => new Map(detail.branches.map(({ id, name }, lane) => [id, { lane, name: name ?? id.slice(-8) }])),
    [detail.branches],
  );
  if (loaded.error && loaded.messages.size === 0)
    return <ErrorState error={loaded.error} label="Messages" retry={() => void loaded.retry?.()} />;
  if (loaded.rows === 0) return <EmptyTranscript live={live} />;
  const currentRow = cursor.ord === undefined ? -1 : visibleRow(layouts, inheritedCount + cursor.ord);
  return (
    <MessageScroller
      handle={scroller}
      rows={loaded.rows}
      live={live}
      startRow={startRow}
      startAtEnd={live && startOrd === undefined}
      onRange={onRange}
      isLoaded={(row) => loaded.messages.has(row)}
      render={(row) => {
        const message = loaded.messages.get(row);
        const layout = layouts.get(row);
        const segment = segmentAt(loaded.segments, row);
        if (!message || !layout || !segment || layout.kind === "nested") return null;
        const result = resultOf(layout);
        const branch =
          segment.from === undefined && branches.size > 1 ? branches.get(message.branch_id ?? "") : undefined;
        const isNewBranch = message.branch_id !== loaded.messages.get(row - 1)?.branch_id;
        return (
          <>
            {row === segment.start && inherited.length > 0 && <SegmentHeading segment={segment} />}
            <MessageRow
              runId={segment.from?.session_id ?? session.id}
              row={row}
              message={message}
              result={result === undefined ? undefined : loaded.messages.get(result)}
              layout={layout}
              expanded={expanded.has(row)}
              toggle={toggle}
              current={row === currentRow}
              inherited={segment.from !== undefined}
              lane={branch?.lane}
              laneName={isNewBranch ? branch?.name : undefined}
              goTo={cursor.goTo}
            />
            {segment.from === undefined && (
              <ForkLinks
                detail={detail}
                ords={[message.ord, ...(result === undefined ? [] : [result - inheritedCount])]}
              />
            )}
          </>
        );
      }}
    />
  );
}

/** Exposes the scroller by message number, and waits for the messages around a row before it scrolls there. */
function useTranscriptHandle(
  list: Ref<ScrollerHandle>,
  { rows, fetchAround }: ReturnType<typeof useMessages>,
  layouts: ReadonlyMap<number, RowLayout>,
  inheritedCount: number,
) {
  const scroller = useRef<ScrollerHandle>(null);
  const latestLayouts = useLatest(layouts);
  useImperativeHandle(list, () => ({
    show: (ord) => {
      const row = Math.min(inheritedCount + ord, rows - 1);
      // The loaded messages decide which row shows it.
      const show = (): void => scroller.current?.show(visibleRow(latestLayouts.current, row));
      void fetchAround(row).then(() => requestAnimationFrame(show));
    },
    follow: () => scroller.current?.follow(),
    first: () => (scroller.current?.first() ?? 0) - inheritedCount,
  }));
  return scroller;
}

/** Calls back when `ready` and the browser is idle, after 500 ms at the latest. */
function useOnceIdle(ready: boolean, callback: () => void): void {
  const onIdle = useEffectEvent(callback);
  useEffect(() => {
    if (!ready) return;
    // Safari has no requestIdleCallback.
    if (!("requestIdleCallback" in window)) {
      const timer = setTimeout(() => onIdle(), 50);
      return () => clearTimeout(timer);
    }
    const id = requestIdleCallback(() => onIdle(), { timeout: 500 });
    return () => cancelIdleCallback(id);
  }, [ready]);
}

function useExpandedRows() {
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((row: number) => {
    setExpanded((old) => {
      const next = new Set(old);
      if (!next.delete(row)) next.add(row);
      return next;
    });
  }, []);
  return { expanded, toggle };
}

function resultOf(layout: RowLayout): number | undefined {
  return layout.kind === "call" || layout.kind === "failures" ? layout.result : undefined;
}

function visibleRow(layouts: ReadonlyMap<number, RowLayout>, row: number): number {
  const layout = layouts.get(row);
  return layout?.kind === "nested" ? layout.row : row;
}

function EmptyTranscript({ live }: { live: boolean }) {
  return (
    <EmptyState title={live ? "No messages yet" : "No messages"}>
      {live ? "Messages appear here as the agent writes them." : "The run ended before its first message."}
    </EmptyState>
  );
}

function SegmentHeading({ segment }: { segment: Segment }) {
  if (!segment.from) return <div className={classes.divider}>Start of this run</div>;
  const { session_id, session_name, name } = segment.from;
  return (
    <div className={classes.divider}>
      <IconGitFork size={13} /> Inherited: {plural(segment.count, "message")} from{" "}
      <TextLink to="/runs/$runId" params={{ runId: session_id }}>
        {session_name ?? name ?? session_id.slice(-8)}
      </TextLink>
    </div>
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
