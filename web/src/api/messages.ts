// Messages of a run in chunks, and its outline, timeline, files and matches.
import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import type { MessageRange } from "@/domain/runs/compare";
import { CHUNK_SIZE, type Chunk } from "@/domain/transcript/chunks";
import { mergeOutlines, type Outline } from "@/domain/transcript/outline";
import { get } from "./client";
import { keys, type MessageSource, type Schema } from "./keys";

export type CallChanges = Schema<"CallChangesView">;
/** `changes`: the files that the call changed; on its result, or on the call while it has none. */
export type Message = Schema<"MessageView"> & { changes?: CallChanges };
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

/** The first messages of several ranges, one after the other. */
export const firstMessages = (ranges: MessageRange[]) =>
  queryOptions({
    queryKey: keys.firstMessages(ranges),
    queryFn: async ({ signal }): Promise<Message[]> => {
      const messages: Message[] = [];
      for (const { of, id, from, end } of ranges) {
        const limit = Math.min(CHUNK_SIZE - messages.length, end - from);
        if (limit > 0) messages.push(...(await fetchMessages({ of, id }, from - 1, limit, signal)).messages);
      }
      return messages;
    },
  });

export async function fetchMessages(source: MessageSource, after: number, limit: number, signal?: AbortSignal) {
  const options = { query: { after, limit, changes: true }, ...(signal ? { signal } : {}) };
  const page = await (source.of === "session"
    ? get("/api/sessions/{session_id}/messages", { path: { session_id: source.id }, ...options })
    : get("/api/branches/{branch_id}/messages", { path: { branch_id: source.id }, ...options }));
  const changes = new Map(page.changes.flatMap((call) => [[call.result_id ?? call.call_id, call]]));
  const withChanges = (message: Message): Message => {
    const own = changes.get(message.id);
    return own ? { ...message, changes: own } : message;
  };
  return { ...page, messages: page.messages.map(withChanges) };
}

/** Fetches only the parts after the last known message and merges them into the cached outline. */
export const runOutline = (id: string, queries: QueryClient) =>
  queryOptions({
    queryKey: keys.outline(id),
    queryFn: async ({ signal }): Promise<Outline> => {
      let known = queries.getQueryData<Outline>(keys.outline(id));
      for (;;) {
        const query = { after: known?.last_ord ?? -1 };
        const added: Outline = await get("/api/sessions/{session_id}/outline", {
          path: { session_id: id },
          query,
          signal,
        });
        if (known && added.seq < known.seq) {
          // A lower sequence number means another database: the cached outline is worthless.
          known = undefined;
          continue;
        }
        known = known ? mergeOutlines(known, added) : added;
        if (!added.has_more) return known;
      }
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

/** All lines that a call changes; a page of messages has only the first ones. */
export const callChanges = (id: string, messageId: string) =>
  queryOptions({
    queryKey: keys.callChanges(id, messageId),
    queryFn: async ({ signal }) => {
      const path = { session_id: id, message_id: messageId };
      return (await get("/api/sessions/{session_id}/messages/{message_id}/changes", { path, signal })).call;
    },
    ...IMMUTABLE,
    gcTime: 30_000,
  });

/** The files that a run changed, or one of its branches. */
export const runChanges = (id: string, running: boolean, branch?: string) =>
  queryOptions({
    queryKey: keys.runChanges(id, running, branch),
    queryFn: ({ signal }) =>
      get("/api/sessions/{session_id}/changes", {
        path: { session_id: id },
        query: branch ? { branch } : {},
        signal,
      }),
    // The server reads all calls that change files.
    refetchInterval: running ? 5000 : false,
  });

/** One changed file with its hunks. */
export const changedFile = (id: string, file: string, branch?: string) =>
  queryOptions({
    queryKey: keys.changedFile(id, file, branch),
    queryFn: async ({ signal }) => {
      const query = branch ? { branch, path: file } : { path: file };
      return (await get("/api/sessions/{session_id}/changes", { path: { session_id: id }, query, signal })).files[0];
    },
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
