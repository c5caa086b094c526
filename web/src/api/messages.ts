// Messages of a run in chunks, and its outline, timeline, files and matches.
import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { CHUNK_SIZE, type Chunk } from "@/domain/transcript/chunks";
import { mergeOutlines, type Outline } from "@/domain/transcript/outline";
import { get } from "./client";
import { keys, type MessageSource, type Schema } from "./keys";

export type Message = Schema<"MessageView">;
export type { MessageSource };

const IMMUTABLE = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;

export const messageChunk = (source: MessageSource, index: number) =>
  queryOptions({
    queryKey: keys.messageChunk(source, index),
    queryFn: async ({ signal }): Promise<Chunk<Message>> => {
      const page = await fetchMessages(source, index * CHUNK_SIZE - 1, CHUNK_SIZE, signal);
      const messages = page.messages.filter(({ ord }) => ord < (index + 1) * CHUNK_SIZE);
      return { messages, isFull: page.has_more || messages.length === CHUNK_SIZE };
    },
    ...IMMUTABLE,
  });

export function fetchMessages(source: MessageSource, after: number, limit: number, signal?: AbortSignal) {
  const options = { query: { after, limit }, ...(signal ? { signal } : {}) };
  return source.of === "session"
    ? get("/api/sessions/{session_id}/messages", { path: { session_id: source.id }, ...options })
    : get("/api/branches/{branch_id}/messages", { path: { branch_id: source.id }, ...options });
}

/** Fetches only the part after the last known message and merges it into the cached outline. */
export const runOutline = (id: string, queries: QueryClient) =>
  queryOptions({
    queryKey: keys.outline(id),
    queryFn: async ({ signal }): Promise<Outline> => {
      const old = queries.getQueryData<Outline>(keys.outline(id));
      const after = old?.last_ord ?? -1;
      const path = { session_id: id };
      const added = await get("/api/sessions/{session_id}/outline", { path, query: { after }, signal });
      if (!old) return added;
      // A lower sequence number means another database: the cached outline is worthless.
      return added.seq < old.seq
        ? get("/api/sessions/{session_id}/outline", { path, signal })
        : mergeOutlines(old, added);
    },
  });

// Each block is a few pixels wide; more buckets would not be visible.
const BUCKETS = 240;

export const runTimeline = (id: string, running: boolean) =>
  queryOptions({
    queryKey: keys.runTimeline(id),
    queryFn: ({ signal }) =>
      get("/api/sessions/{session_id}/timeline", {
        path: { session_id: id },
        query: { buckets: BUCKETS },
        signal,
      }),
    // The server walks the whole run for it, so it refreshes more slowly than the messages.
    refetchInterval: running ? 3000 : false,
  });

export const runFiles = (id: string) =>
  queryOptions({
    queryKey: keys.runFiles(id),
    queryFn: ({ signal }) => get("/api/sessions/{session_id}/files", { path: { session_id: id }, signal }),
  });

export const runFile = (id: string, path: string) =>
  queryOptions({
    queryKey: keys.runFile(id, path),
    queryFn: ({ signal }) =>
      get("/api/sessions/{session_id}/files/content", { path: { session_id: id }, query: { path }, signal }),
  });

export const runMatches = (id: string, query: string) =>
  queryOptions({
    queryKey: keys.runMatches(id, query),
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
    queryKey: keys.messageOrd(id, messageId),
    queryFn: async ({ signal }) => {
      const path = { session_id: id, message_id: messageId };
      return (await get("/api/sessions/{session_id}/messages/{message_id}", { path, signal })).message.ord;
    },
    enabled: messageId !== "",
    ...IMMUTABLE,
  });

export const CONTENT_PART_SIZE = 32_768;

export const contentPart = (id: string, messageId: string, name: string, part: number) =>
  queryOptions({
    queryKey: keys.messageContent(messageId, name, part),
    queryFn: async ({ signal }) => {
      const { text } = await get("/api/sessions/{session_id}/messages/{message_id}/content", {
        path: { session_id: id, message_id: messageId },
        query: { key: name, start: part * CONTENT_PART_SIZE, length: CONTENT_PART_SIZE },
        signal,
      });
      return text;
    },
    ...IMMUTABLE,
    gcTime: 30_000,
  });
