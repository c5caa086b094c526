// The messages around what is seen, and those that come while one watches.
import { type QueryClient, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { onChanges } from "@/api/live";
import { chunkKey, fetchMessages, type Message, type MessageSource, messageChunk } from "@/api/messages";
import {
  appendToChunk,
  CHUNK_SIZE,
  type Chunk,
  chunkIndex,
  chunksForRange,
} from "@/domain/transcript/chunks";
import { type Ancestor, buildSegments, type Segment } from "./segments";

// As many as a screen holds; with what is fetched ahead it is one piece, and a second one would only compete with it.
const FIRST_ROWS = 16;

export function useMessages(sessionId: string, inherited: Ancestor[], storedCount: number, startRow: number) {
  const live = useLiveCount(sessionId);
  const count = Math.max(storedCount, live);
  const segments = useMemo(() => buildSegments(sessionId, inherited, count), [sessionId, inherited, count]);
  const [[first, last], setSeen] = useState<readonly [number, number]>([startRow, startRow + FIRST_ROWS]);
  const requests = useMemo(() => chunkRequests(segments, first, last), [segments, first, last]);
  /** Rows from one to another are in view; most steps need no other pieces, and then nothing is drawn again. */
  const setRange = useCallback(
    (from: number, to: number) => {
      const need = requestKey(chunkRequests(segments, from, to));
      setSeen((old) => (requestKey(chunkRequests(segments, ...old)) === need ? old : [from, to]));
    },
    [segments],
  );
  const loaded = useQueries({
    queries: requests.map(({ place, piece }) => messageChunk(place, piece)),
    combine: combineChunks,
  });
  const messages = useMemo(() => byRow(requests, loaded.pieces), [requests, loaded.pieces]);
  const queries = useQueryClient();
  /** Resolves when the messages around a row are there. */
  const fetchAround = useCallback(
    async (row: number) => {
      const pieces = chunkRequests(segments, row, row + 20);
      await Promise.allSettled(
        pieces.map(({ place, piece }) => queries.prefetchQuery(messageChunk(place, piece))),
      );
      setRange(row, row + 20);
    },
    [segments, queries, setRange],
  );
  const rows = segments.reduce((sum, segment) => sum + segment.count, 0);
  return { rows, segments, messages, setRange, fetchAround, error: loaded.error, retry: loaded.retry };
}

interface ChunkRequest {
  place: MessageSource;
  piece: number;
  start: number;
}

function chunkRequests(segments: Segment[], first: number, last: number): ChunkRequest[] {
  return segments.flatMap(({ source: place, start, count }) => {
    if (last < start - CHUNK_SIZE || first > start + count + CHUNK_SIZE) return [];
    return chunksForRange(first - start, last - start, count).map((piece) => ({ place, piece, start }));
  });
}

function requestKey(requests: ChunkRequest[]): string {
  return requests.map(({ place, piece }) => `${place.id} ${piece}`).join();
}

interface ChunkQuery {
  data: Chunk<Message> | undefined;
  error: Error | null;
  refetch: () => unknown;
}

function combineChunks(answers: ChunkQuery[]) {
  const failed = answers.find(({ error, data }) => error && !data);
  return { pieces: answers.map(({ data }) => data), error: failed?.error ?? null, retry: failed?.refetch };
}

function byRow(requests: ChunkRequest[], pieces: (Chunk<Message> | undefined)[]): Map<number, Message> {
  const rows = new Map<number, Message>();
  pieces.forEach((piece, index) => {
    const start = requests[index]?.start ?? 0;
    for (const message of piece?.messages ?? []) rows.set(start + message.ord, message);
  });
  return rows;
}

/** How many messages the feed has told of; whatever of them belongs to a piece that is here is put into it before. */
function useLiveCount(sessionId: string): number {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  const lastCount = useRef(0);
  useEffect(() => {
    let busy = false;
    const place: MessageSource = { of: "session", id: sessionId };
    const catchUp = async (): Promise<void> => {
      if (busy) return;
      busy = true;
      for (let goal = -1; goal !== lastCount.current; ) {
        goal = lastCount.current;
        await extendOpenChunks(queries, place, goal).catch(() => {}); // the piece is asked for again when it is seen
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

/** Add what came to the last piece that is here. */
async function extendOpenChunks(queries: QueryClient, place: MessageSource, count: number): Promise<void> {
  const all = queries.getQueryCache().findAll({ queryKey: ["messages", place.of, place.id] });
  const open = all.filter((query) => (query.state.data as Chunk<Message> | undefined)?.isFull === false);
  for (const query of open) {
    const piece = Number(query.queryKey[3]);
    const old = query.state.data as Chunk<Message>;
    const after = old.messages.at(-1)?.ord ?? piece * CHUNK_SIZE - 1;
    if (count <= after + 1) continue;
    const { messages } = await fetchMessages(place, after, 2 * CHUNK_SIZE);
    appendMessages(queries, place, piece, messages);
    // The next piece begins with what did not fit, so that nobody waits for it a second time.
    const next = messages.filter(({ ord }) => chunkIndex(ord) === piece + 1);
    const key = chunkKey(place, piece + 1);
    if (next.length > 0 && !queries.getQueryData(key)) {
      queries.setQueryData(key, { messages: next, full: next.length === CHUNK_SIZE });
    }
  }
}

function appendMessages(queries: QueryClient, place: MessageSource, piece: number, news: Message[]): void {
  const key = chunkKey(place, piece);
  const old = queries.getQueryData<Chunk<Message>>(key);
  const now = old && appendToChunk(old, piece, news);
  if (now) queries.setQueryData(key, now);
  else void queries.invalidateQueries({ queryKey: key });
}
