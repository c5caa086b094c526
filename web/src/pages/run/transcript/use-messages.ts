// Messages around the visible rows, and those that arrive while the page is open.
import { type QueryClient, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { keys } from "@/api/keys";
import { onChanges } from "@/api/live/feed";
import { fetchMessages, type Message, type MessageSource, messageChunk } from "@/api/messages";
import {
  appendToChunk,
  CHUNK_SIZE,
  type Chunk,
  chunkIndex,
  chunksForRange,
  rangesOf,
} from "@/domain/transcript/chunks";
import { type Ancestor, buildSegments, type Segment } from "./segments";

// About one screen. With the rows that are prefetched this is one chunk; a second request would compete with it.
const FIRST_ROWS = 16;
// Rows of a view beyond the visible ones that are loaded in advance; each may be in another chunk.
const SPARE_ROWS = 8;
type Ranges = readonly (readonly [number, number])[];

/** `view` has the rows to show, if not all are. */
export function useMessages(
  sessionId: string,
  inherited: readonly Ancestor[],
  storedCount: number,
  startRow: number,
  view?: readonly number[],
) {
  const count = Math.max(storedCount, useLiveCount(sessionId));
  const segments = useMemo(() => buildSegments(sessionId, inherited, count), [sessionId, inherited, count]);
  const [visible, setVisible] = useState<Ranges>([[startRow, startRow + FIRST_ROWS]]);
  // The rows of the last jump: apart from the visible ones, which the list may have left the jump for meanwhile.
  const [target, setTarget] = useState<Ranges>([]);
  const requests = useMemo(() => {
    const shown = chunkRequests(segments, visible);
    const isShown = ({ source, index }: ChunkRequest) =>
      shown.some((request) => request.source.id === source.id && request.index === index);
    return [...shown, ...chunkRequests(segments, target).filter((request) => !isShown(request))];
  }, [segments, visible, target]);
  /** Most scroll steps need no other chunk, and then nothing renders. */
  const setRange = useCallback(
    (from: number, to: number) => {
      const ranges: Ranges = view
        ? rangesOf(view.slice(Math.max(0, from - SPARE_ROWS), to + SPARE_ROWS))
        : [[from, to]];
      const needed = requestKey(chunkRequests(segments, ranges));
      setVisible((old) => (requestKey(chunkRequests(segments, old)) === needed ? old : ranges));
    },
    [segments, view],
  );
  const { chunks, error, retry } = useQueries({
    queries: requests.map(({ source, index }) => messageChunk(source, index)),
    combine: combineChunks,
  });
  const messages = useMemo(() => messagesByRow(requests, chunks), [requests, chunks]);
  const queries = useQueryClient();
  /** Resolves when the messages around a row are loaded. */
  const fetchAround = useCallback(
    async (row: number) => {
      const needed = chunkRequests(segments, [[row, row + 20]]);
      await Promise.allSettled(needed.map(({ source, index }) => queries.prefetchQuery(messageChunk(source, index))));
      setTarget(view ? rangesOf([row]) : [[row, row + 20]]);
    },
    [segments, queries, view],
  );
  const rows = segments.reduce((sum, segment) => sum + segment.count, 0);
  return { rows, ownCount: count, segments, messages, setRange, fetchAround, error, retry };
}

interface ChunkRequest {
  source: MessageSource;
  index: number;
  /** The row of the source's first message. */
  start: number;
}

function chunkRequests(segments: Segment[], ranges: Ranges): ChunkRequest[] {
  // The rows of a view are far from each other; those between them are not shown.
  const spare = ranges.length > 1 ? 0 : undefined;
  return segments.flatMap(({ source, start, count }) => {
    const indexes = ranges.flatMap(([first, last]) => {
      if (last < start - CHUNK_SIZE || first > start + count + CHUNK_SIZE) return [];
      return chunksForRange(first - start, last - start, count, spare);
    });
    return [...new Set(indexes)].map((index) => ({ source, index, start }));
  });
}

function requestKey(requests: ChunkRequest[]): string {
  return requests.map(({ source, index }) => `${source.id} ${index}`).join();
}

interface ChunkQuery {
  data: Chunk<Message> | undefined;
  error: Error | null;
  refetch: () => unknown;
}

function combineChunks(results: ChunkQuery[]) {
  const failed = results.find(({ error, data }) => error && !data);
  return { chunks: results.map(({ data }) => data), error: failed?.error ?? null, retry: failed?.refetch };
}

function messagesByRow(requests: ChunkRequest[], chunks: (Chunk<Message> | undefined)[]): Map<number, Message> {
  const rows = new Map<number, Message>();
  chunks.forEach((chunk, position) => {
    const start = requests[position]?.start ?? 0;
    for (const message of chunk?.messages ?? []) rows.set(start + message.ord, message);
  });
  return rows;
}

/** The message count according to the feed; it rises only after the cached chunks hold the new messages. */
function useLiveCount(sessionId: string): number {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  const lastCount = useRef(0);
  useEffect(() => {
    let busy = false;
    const source: MessageSource = { of: "session", id: sessionId };
    const catchUp = async (): Promise<void> => {
      if (busy) return;
      busy = true;
      for (let goal = -1; goal !== lastCount.current; ) {
        goal = lastCount.current;
        await extendOpenChunks(queries, source, goal).catch(() => {}); // the chunk is fetched again when it comes into view
        setCount(goal);
      }
      busy = false;
    };
    return onChanges((changes) => {
      const before = lastCount.current;
      for (const { entity, parent_id, ord } of changes) {
        if (entity === "message" && parent_id === sessionId)
          lastCount.current = Math.max(lastCount.current, (ord ?? -1) + 1);
      }
      if (lastCount.current > before) void catchUp();
    });
  }, [queries, sessionId]);
  return count;
}

/** Append new messages to the cached chunks that are not full. */
async function extendOpenChunks(queries: QueryClient, source: MessageSource, count: number): Promise<void> {
  const all = queries.getQueryCache().findAll({ queryKey: keys.messageChunks(source) });
  const open = all.filter((query) => (query.state.data as Chunk<Message> | undefined)?.isFull === false);
  for (const query of open) {
    const index = Number(query.queryKey.at(-1));
    const old = query.state.data as Chunk<Message>;
    const after = old.messages.at(-1)?.ord ?? index * CHUNK_SIZE - 1;
    if (count <= after + 1) continue;
    const { messages } = await fetchMessages(source, after, 2 * CHUNK_SIZE);
    appendMessages(queries, source, index, messages);
    // The rest of the page starts the next chunk, which saves a request.
    const next = messages.filter(({ ord }) => chunkIndex(ord) === index + 1);
    const key = keys.messageChunk(source, index + 1);
    if (next.length > 0 && !queries.getQueryData(key)) {
      queries.setQueryData<Chunk<Message>>(key, { messages: next, isFull: next.length === CHUNK_SIZE });
    }
  }
}

function appendMessages(queries: QueryClient, source: MessageSource, index: number, added: Message[]): void {
  const key = keys.messageChunk(source, index);
  const old = queries.getQueryData<Chunk<Message>>(key);
  const now = old && appendToChunk(old, index, added);
  if (now) queries.setQueryData(key, now);
  else void queries.invalidateQueries({ queryKey: key });
}
