// The transcript of a run: loads the messages around the visible rows and lays them out.
import { type ReactNode, type Ref, useCallback, useEffect, useEffectEvent, useMemo, useState } from "react";
import type { Store } from "@/api/store";
import { entryOf } from "@/domain/transcript/message-entry";
import type { Outline } from "@/domain/transcript/outline";
import { shows } from "@/domain/transcript/reading";
import { layoutRows, type RowLayout, visibleRow } from "@/domain/transcript/row-layout";
import { ErrorState, LoadingLine } from "@/ui/feedback/placeholders";
import { branchName, subAgents } from "../branch-names";
import type { Cursor } from "../use-cursor";
import type { ReadingControl } from "../use-reading";
import { MessageRow } from "./message-row";
import { MessageScroller } from "./message-scroller";
import { BelowRow, EmptyTranscript, SegmentHeading } from "./parts/dividers";
import { type Detail, segmentAt, useInherited } from "./segments";
import { useExpanded } from "./use-expanded";
import { useMessages } from "./use-messages";
import { type TranscriptHandle, useTranscriptHandle } from "./use-transcript-handle";
import { useView } from "./use-view";

interface TranscriptProps {
  detail: Detail;
  outline: Outline | undefined;
  cursor: Cursor;
  reading: ReadingControl;
  list: Ref<TranscriptHandle>;
  visibleRange: Store<readonly [number, number]>;
  /** Called once, after the first messages are on the screen or turn out to be missing. */
  onShown: () => void;
  /** Content below the last message. */
  end: ReactNode;
}

export function Transcript(props: TranscriptProps) {
  const { detail, outline, cursor, reading, list, visibleRange, onShown, end } = props;
  const { session } = detail;
  const live = session.state.group === "running";
  const inherited = useInherited(detail);
  const inheritedCount = inherited.reduce((sum, { last_ord }) => sum + last_ord + 1, 0);
  const [startOrd] = useState(cursor.ord);
  const startRow =
    startOrd !== undefined ? inheritedCount + startOrd : live ? inheritedCount + session.message_count : 0;
  const view = useView(reading, outline, inheritedCount);
  const loaded = useMessages(session.id, inherited, session.message_count, startRow, view.rows);
  const isEmpty = (view.rows?.length ?? loaded.rows) === 0;
  useOnceIdle(loaded.messages.size > 0 || isEmpty || loaded.error !== null, onShown);
  const { expanded, toggle, open } = useExpanded();
  const folds = shows(reading, "tools");
  const layouts = useMemo(
    () => layoutRows(loaded.messages, { expanded, folds, live }),
    [loaded.messages, expanded, folds, live],
  );
  const { clear } = reading;
  const scroller = useTranscriptHandle(list, { loaded, layouts, view, inheritedCount, open, clear });
  const { setRange } = loaded;
  const { rowAt, rows: viewRows } = view;
  const onRange = useCallback(
    (first: number, last: number) => {
      setRange(first, last);
      visibleRange.set([rowAt(first) - inheritedCount, rowAt(last) - inheritedCount]);
    },
    [setRange, visibleRange, inheritedCount, rowAt],
  );
  const branches = useMemo(() => {
    const tasks = subAgents(detail.branches);
    return new Map(
      detail.branches.map((branch, lane) => [
        branch.id,
        { id: branch.id, lane, name: branchName(branch), isSubAgent: tasks.has(branch.id) },
      ]),
    );
  }, [detail.branches]);
  if (loaded.error && loaded.messages.size === 0)
    return <ErrorState error={loaded.error} label="Messages" retry={() => void loaded.retry?.()} />;
  if (view.isPending) return <LoadingLine label="messages" />;
  if (isEmpty) return <EmptyTranscript live={live} clear={viewRows && clear} />;
  const currentRow = cursor.ord === undefined ? -1 : visibleRow(layouts, inheritedCount + cursor.ord);
  return (
    <MessageScroller
      // The heights and the position of another part are of no use.
      key={`${reading.modes} ${reading.branch}`}
      handle={scroller}
      rows={viewRows?.length ?? loaded.rows}
      keyOf={rowAt}
      live={live}
      startRow={view.indexOf(startRow)}
      startAtEnd={live && startOrd === undefined}
      onRange={onRange}
      isLoaded={(index) => loaded.messages.has(rowAt(index))}
      after={end}
      render={(index) => {
        const row = rowAt(index);
        const message = loaded.messages.get(row);
        const layout = layouts.get(row);
        const segment = segmentAt(loaded.segments, row);
        if (!message || !layout || !segment || layout.kind === "nested") return null;
        if (segment.from && !isShownInherited(reading, layout, entryOf(message).kind)) return null;
        const result = resultOf(layout);
        const own = segment.from === undefined ? branches.get(message.branch_id ?? "") : undefined;
        const branch = branches.size > 1 ? own : undefined;
        const isNewBranch = message.branch_id !== loaded.messages.get(rowAt(index - 1))?.branch_id;
        return (
          <>
            {row === segment.start && inherited.length > 0 && <SegmentHeading segment={segment} detail={detail} />}
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
              thoughts={shows(reading, "thoughts")}
              isTask={own?.isSubAgent ?? false}
              lane={branch?.lane}
              laneName={isNewBranch ? branch?.name : undefined}
              readBranch={reading.setBranch}
              goTo={cursor.goTo}
            />
            {segment.from === undefined && (
              <BelowRow detail={detail} ords={ordsOf(message.ord, result, inheritedCount)} />
            )}
          </>
        );
      }}
    />
  );
}

/** Messages that a fork inherited have no outline, so their kind is known only once they are loaded. */
function isShownInherited(reading: ReadingControl, layout: RowLayout, kind: string): boolean {
  if (kind === "text" || kind === "missing") return shows(reading, "messages") || shows(reading, "thoughts");
  return shows(reading, "tools") || (layout.kind === "failures" && shows(reading, "errors"));
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

function resultOf(layout: RowLayout): number | undefined {
  return layout.kind === "call" || layout.kind === "failures" ? layout.result : undefined;
}

function ordsOf(ord: number, result: number | undefined, inheritedCount: number): number[] {
  return [ord, ...(result === undefined ? [] : [result - inheritedCount])];
}
