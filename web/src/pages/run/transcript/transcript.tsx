// The list of messages of this run: from rows to what each of them shows.
import { IconGitFork } from "@tabler/icons-react";
import { type Ref, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import type { Store } from "@/api/store";
import { plural } from "@/domain/text/format";
import { type Shape, shapesOf } from "@/domain/transcript/row-layout";
import { EmptyState, ErrorState } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import classes from "../run-view.module.css";
import type { Cursor } from "../use-cursor";
import { MessageRow } from "./message-row";
import { Transcript, type TranscriptHandle } from "./message-scroller";
import { type Detail, inheritedBy, type Segment, segmentAt } from "./segments";
import { useMessages } from "./use-messages";

interface MessagesProps {
  detail: Detail;
  cursor: Cursor;
  list: Ref<TranscriptHandle>;
  seen: Store<readonly [number, number]>;
  /** The first of them are here, or there are none. */
  onShown: () => void;
}

export function Messages({ detail, cursor, list, seen, onShown }: MessagesProps) {
  const { session } = detail;
  const live = session.status === "running";
  // The answer is a new object with every refetch; what was inherited never changes.
  const inheritedKey = JSON.stringify(inheritedBy(detail));
  const inherited = useMemo(() => JSON.parse(inheritedKey) as ReturnType<typeof inheritedBy>, [inheritedKey]);
  const before = inherited.reduce((sum, { last_ord }) => sum + last_ord + 1, 0);
  const [startAt] = useState(cursor.ord);
  const begin = startAt !== undefined ? before + startAt : live ? before + session.message_count : 0;
  const found = useMessages(session.id, inherited, session.message_count, begin);
  const settled = found.messages.size > 0 || found.rows === 0 || found.error !== null;
  useEffect(() => {
    if (settled) return whenIdle(onShown);
  }, [settled]);
  const { opened, toggle } = useOpened();
  const shapes = useMemo(() => shapesOf(found.messages, opened), [found.messages, opened]);
  const newest = useRef(shapes);
  newest.current = shapes;
  const inner = useRef<TranscriptHandle>(null);
  useImperativeHandle(list, () => ({
    show: (ord) => {
      const row = Math.min(before + ord, found.rows - 1);
      // What is there decides in which row it is shown, so that is fetched first.
      const show = (): void => inner.current?.show(shownAt(newest.current, row));
      void found.fetchAround(row).then(() => requestAnimationFrame(show));
    },
    follow: () => inner.current?.follow(),
    first: () => (inner.current?.first() ?? 0) - before,
  }));
  const { setRange } = found;
  const onRange = useCallback(
    (first: number, last: number) => {
      setRange(first, last);
      seen.set([first - before, last - before]);
    },
    [setRange, seen, before],
  );
  const lanes = useMemo(
    () => new Map(detail.branches.map(({ id }, index) => [id, index])),
    [detail.branches],
  );
  const names = useMemo(
    () => new Map(detail.branches.map(({ id, name }) => [id, name ?? id.slice(-8)])),
    [detail.branches],
  );
  if (found.error && found.messages.size === 0)
    return <ErrorState error={found.error} what="The messages" retry={() => void found.retry?.()} />;
  if (found.rows === 0) return <Nothing live={live} />;
  const marked = cursor.ord === undefined ? -1 : shownAt(shapes, before + cursor.ord);
  return (
    <Transcript
      handle={inner}
      rows={found.rows}
      live={live}
      begin={begin}
      atEnd={live && startAt === undefined}
      onRange={onRange}
      isLoaded={(row) => found.messages.has(row)}
      render={(row) => {
        const message = found.messages.get(row);
        const shape = shapes.get(row);
        const segment = segmentAt(found.segments, row);
        if (!message || !shape || !segment || shape.kind === "within") return null;
        const branch = message.branch_id ?? "";
        const previous = found.messages.get(row - 1)?.branch_id ?? "";
        const several = segment.from === undefined && lanes.size > 1;
        return (
          <>
            {row === segment.start && inherited.length > 0 && <Border segment={segment} />}
            <MessageRow
              runId={segment.from?.session_id ?? session.id}
              row={row}
              message={message}
              result={resultOf(shape) === undefined ? undefined : found.messages.get(resultOf(shape) ?? -1)}
              shape={shape}
              opened={opened.has(row)}
              toggle={toggle}
              marked={row === marked}
              inherited={segment.from !== undefined}
              lane={several ? lanes.get(branch) : undefined}
              laneName={several && branch !== previous ? names.get(branch) : undefined}
              go={cursor.go}
            />
            {segment.from === undefined && (
              <ForksHere detail={detail} ord={message.ord} shape={shape} before={before} />
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

function useOpened() {
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

function resultOf(shape: Shape): number | undefined {
  return shape.kind === "call" || shape.kind === "failures" ? shape.result : undefined;
}

/** The row in which a message is shown. */
function shownAt(shapes: ReadonlyMap<number, Shape>, row: number): number {
  const shape = shapes.get(row);
  return shape?.kind === "within" ? shape.at : row;
}

function Nothing({ live }: { live: boolean }) {
  return (
    <EmptyState title={live ? "Nothing was said yet" : "Nothing was said in this run"}>
      {live ? "Messages appear here as the agent writes them." : "It ended before its first message."}
    </EmptyState>
  );
}

function Border({ segment }: { segment: Segment }) {
  if (!segment.from) return <div className={classes.border}>This run begins here</div>;
  const { session_id, session_name, name } = segment.from;
  return (
    <div className={classes.border}>
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
  shape: Shape;
  before: number;
}

function ForksHere({ detail, ord, shape, before }: ForksProps) {
  const result = resultOf(shape);
  const ords = [ord, ...(result === undefined ? [] : [result - before])];
  const forks = detail.forks.filter(({ session_ord }) => session_ord !== null && ords.includes(session_ord));
  return forks.map((fork) => (
    <div key={fork.branch_id} className={classes.border} data-fork>
      <IconGitFork size={13} /> Forked here:{" "}
      <TextLink to="/runs/$runId" params={{ runId: fork.session_id }}>
        {fork.session_name ?? fork.name ?? fork.session_id.slice(-8)}
      </TextLink>
      {fork.status && <span>({fork.status.replace("_", " ")})</span>}
    </div>
  ));
}
