// What was said in a run: pieces of its messages, its outline, its timeline, its texts. Pieces are not made old by the
// feed: a message never changes, and new ones are added to the piece they belong to.
import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { CHUNK_SIZE, type Chunk } from "@/domain/transcript/chunks";
import { mergeOutlines, type Outline } from "@/domain/transcript/outline";
import { get } from "./client";
import type { Schema } from "./keys";

export type Message = Schema<"Message">;
/** Whose messages: a session's, or one branch's own (what a fork inherited). */
export interface MessageSource {
  of: "session" | "branch";
  id: string;
}

const IMMUTABLE = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;

export const chunkKey = (source: MessageSource, index: number) =>
  ["messages", source.of, source.id, index] as const;

export const messageChunk = (source: MessageSource, index: number) =>
  queryOptions({
    queryKey: chunkKey(source, index),
    queryFn: async ({ signal }): Promise<Chunk<Message>> => {
      const page = await fetchMessages(source, index * CHUNK_SIZE - 1, CHUNK_SIZE, signal);
      const messages = page.messages.filter(({ ord }) => ord < (index + 1) * CHUNK_SIZE);
      return { messages, isFull: page.has_more || messages.length === CHUNK_SIZE };
    },
    ...IMMUTABLE,
  });

/** A window of messages after an ord. */
export function fetchMessages(source: MessageSource, after: number, limit: number, signal?: AbortSignal) {
  const query = { after, limit };
  const more = signal ? { signal } : {};
  return source.of === "session"
    ? get("/api/sessions/{session_id}/messages", { path: { session_id: source.id }, query, ...more })
    : get("/api/branches/{branch_id}/messages", { path: { branch_id: source.id }, query, ...more });
}

const outlineKey = (id: string) => ["run", id, "outline"] as const;

export const runOutline = (id: string, queries: QueryClient) =>
  queryOptions({
    queryKey: outlineKey(id),
    queryFn: async ({ signal }): Promise<Outline> => {
      const old = queries.getQueryData<Outline>(outlineKey(id));
      const after = old?.last_ord ?? -1;
      const path = { session_id: id };
      const added = await get("/api/sessions/{session_id}/outline", { path, query: { after }, signal });
      if (!old) return added;
      // Numbers that went back mean another database: nothing of what was known holds.
      return added.seq < old.seq
        ? get("/api/sessions/{session_id}/outline", { path, signal })
        : mergeOutlines(old, added);
    },
  });

// As fine as it can be seen; each block is a few pixels wide.
const BUCKETS = 240;

export const runTimeline = (id: string, running: boolean) =>
  queryOptions({
    queryKey: ["runTimeline", id],
    queryFn: ({ signal }) =>
      get("/api/sessions/{session_id}/timeline", {
        path: { session_id: id },
        query: { buckets: BUCKETS },
        signal,
      }),
    // The whole run is walked for it, so it follows at a slower pace than the messages.
    refetchInterval: running ? 3000 : false,
  });

export const runFiles = (id: string) =>
  queryOptions({
    // Not under "run": a folder is not read again for every message.
    queryKey: ["runFiles", id],
    queryFn: ({ signal }) => get("/api/sessions/{session_id}/files", { path: { session_id: id }, signal }),
  });

export const runMatches = (id: string, query: string) =>
  queryOptions({
    queryKey: ["runMatches", id, query],
    queryFn: ({ signal }) =>
      get("/api/sessions/{session_id}/search", {
        path: { session_id: id },
        query: { q: query.slice(0, 200), limit: 1000 },
        signal,
      }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });

export const messageOrd = (id: string, messageId: string) =>
  queryOptions({
    queryKey: ["messages", "ord", id, messageId],
    queryFn: async ({ signal }) => {
      const path = { session_id: id, message_id: messageId };
      return (await get("/api/sessions/{session_id}/messages/{message_id}", { path, signal })).message.ord;
    },
    enabled: messageId !== "",
    ...IMMUTABLE,
  });

export const CONTENT_PART_SIZE = 32_768;

export const contentPart = (id: string, messageId: string, key: string, part: number) =>
  queryOptions({
    queryKey: ["messages", "content", messageId, key, part],
    queryFn: async ({ signal }) =>
      (
        await get("/api/sessions/{session_id}/messages/{message_id}/content", {
          path: { session_id: id, message_id: messageId },
          query: { key, start: part * CONTENT_PART_SIZE, length: CONTENT_PART_SIZE },
          signal,
        })
      ).text,
    ...IMMUTABLE,
    gcTime: 30_000,
  });
