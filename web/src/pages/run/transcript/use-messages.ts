// The messages around what is seen, and those that come while one watches.
import { type QueryClient, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { onChanges } from "@/api/live";
import { listed, type Message, messagePiece, type Place, pieceKey } from "@/api/messages";
import { extended, PIECE, type Piece, pieceOf, piecesFor } from "@/domain/transcript/chunks";
import { type Ancestor, type Segment, segmentsOf } from "./segments";

// As many as a screen holds; with what is fetched ahead it is one piece, and a second one would only compete with it.
const FIRST_ROWS = 16;

export function useMessages(sessionId: string, inherited: Ancestor[], known: number, begin: number) {
  const live = useLiveCount(sessionId);
  const count = Math.max(known, live);
  const segments = useMemo(() => segmentsOf(sessionId, inherited, count), [sessionId, inherited, count]);
  const [[first, last], setSeen] = useState<readonly [number, number]>([begin, begin + FIRST_ROWS]);
  const wanted = useMemo(() => wantedPieces(segments, first, last), [segments, first, last]);
  /** Rows from one to another are in view; most steps need no other pieces, and then nothing is drawn again. */
  const setRange = useCallback(
    (from: number, to: number) => {
      const need = keyOf(wantedPieces(segments, from, to));
      setSeen((old) => (keyOf(wantedPieces(segments, ...old)) === need ? old : [from, to]));
    },
    [segments],
  );
  const loaded = useQueries({
    queries: wanted.map(({ place, piece }) => messagePiece(place, piece)),
    combine: piecesOf,
  });
  const messages = useMemo(() => byRow(wanted, loaded.pieces), [wanted, loaded.pieces]);
  const queries = useQueryClient();
  /** Resolves when the messages around a row are there. */
  const fetchAround = useCallback(
    async (row: number) => {
      const pieces = wantedPieces(segments, row, row + 20);
      await Promise.allSettled(
        pieces.map(({ place, piece }) => queries.prefetchQuery(messagePiece(place, piece))),
      );
      setRange(row, row + 20);
    },
    [segments, queries, setRange],
  );
  const rows = segments.reduce((sum, segment) => sum + segment.count, 0);
  return { rows, segments, messages, setRange, fetchAround, error: loaded.error, retry: loaded.retry };
}

interface Wanted {
  place: Place;
  piece: number;
  start: number;
}

function wantedPieces(segments: Segment[], first: number, last: number): Wanted[] {
  return segments.flatMap(({ place, start, count }) => {
    if (last < start - PIECE || first > start + count + PIECE) return [];
    return piecesFor(first - start, last - start, count).map((piece) => ({ place, piece, start }));
  });
}

function keyOf(wanted: Wanted[]): string {
  return wanted.map(({ place, piece }) => `${place.id} ${piece}`).join();
}

interface Answered {
  data: Piece<Message> | undefined;
  error: Error | null;
  refetch: () => unknown;
}

function piecesOf(answers: Answered[]) {
  const failed = answers.find(({ error, data }) => error && !data);
  return { pieces: answers.map(({ data }) => data), error: failed?.error ?? null, retry: failed?.refetch };
}

function byRow(wanted: Wanted[], pieces: (Piece<Message> | undefined)[]): Map<number, Message> {
  const found = new Map<number, Message>();
  pieces.forEach((piece, index) => {
    const start = wanted[index]?.start ?? 0;
    for (const message of piece?.messages ?? []) found.set(start + message.ord, message);
  });
  return found;
}

/** How many messages the feed has told of; whatever of them belongs to a piece that is here is put into it before. */
function useLiveCount(sessionId: string): number {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  const told = useRef(0);
  useEffect(() => {
    let busy = false;
    const place: Place = { of: "session", id: sessionId };
    const catchUp = async (): Promise<void> => {
      if (busy) return;
      busy = true;
      for (let goal = -1; goal !== told.current; ) {
        goal = told.current;
        await extendPieces(queries, place, goal).catch(() => {}); // the piece is asked for again when it is seen
        setCount(goal);
      }
      busy = false;
    };
    return onChanges((changes) => {
      const before = told.current;
      for (const { entity, parent_id, ord } of changes) {
        if (entity === "message" && parent_id === sessionId)
          told.current = Math.max(told.current, (ord ?? -1) + 1);
      }
      if (told.current > before) void catchUp();
    });
  }, [queries, sessionId]);
  return count;
}

/** Add what came to the last piece that is here. */
async function extendPieces(queries: QueryClient, place: Place, count: number): Promise<void> {
  const all = queries.getQueryCache().findAll({ queryKey: ["messages", place.of, place.id] });
  const open = all.filter((query) => (query.state.data as Piece<Message> | undefined)?.full === false);
  for (const query of open) {
    const piece = Number(query.queryKey[3]);
    const old = query.state.data as Piece<Message>;
    const after = old.messages.at(-1)?.ord ?? piece * PIECE - 1;
    if (count <= after + 1) continue;
    const { messages } = await listed(place, after, 2 * PIECE);
    put(queries, place, piece, messages);
    // The next piece begins with what did not fit, so that nobody waits for it a second time.
    const next = messages.filter(({ ord }) => pieceOf(ord) === piece + 1);
    const key = pieceKey(place, piece + 1);
    if (next.length > 0 && !queries.getQueryData(key)) {
      queries.setQueryData(key, { messages: next, full: next.length === PIECE });
    }
  }
}

function put(queries: QueryClient, place: Place, piece: number, news: Message[]): void {
  const key = pieceKey(place, piece);
  const old = queries.getQueryData<Piece<Message>>(key);
  const now = old && extended(old, piece, news);
  if (now) queries.setQueryData(key, now);
  else void queries.invalidateQueries({ queryKey: key });
}
