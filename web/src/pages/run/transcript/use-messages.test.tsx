import { act, renderHook, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Change } from "@/domain/live/changes";
import { providers } from "@/testing/render";
import type { Ancestor } from "./segments";
import { useMessages } from "./use-messages";

const feed = vi.hoisted(() => ({ listeners: new Set<(changes: Change[]) => void>() }));
vi.mock("@/api/live/feed", () => ({
  onChanges: (listener: (changes: Change[]) => void) => {
    feed.listeners.add(listener);
    return () => feed.listeners.delete(listener);
  },
}));

let stored = 0;
let requests: string[] = [];

beforeEach(() => {
  requests = [];
  vi.stubGlobal("fetch", async (url: string) => {
    requests.push(url);
    const { searchParams, pathname } = new URL(url, "http://studio");
    const after = Number(searchParams.get("after"));
    const limit = Number(searchParams.get("limit"));
    const count = pathname.includes("/branches/") ? 10 : stored;
    const ords = Array.from({ length: count }, (_, ord) => ord).filter((ord) => ord > after);
    const messages = ords.slice(0, limit).map((ord) => ({ ord, id: `${pathname} ${ord}` }));
    return Response.json({ messages, changes: [], has_more: ords.length > limit });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const NONE: Ancestor[] = [];

function open(count: number, startRow = 0, inherited = NONE) {
  stored = count;
  return renderHook(() => useMessages("s", inherited, count, startRow), { wrapper: providers() }).result;
}

function append(count: number): void {
  stored += count;
  const change = { entity: "message", parent_id: "s", ord: stored - 1 } as Change;
  for (const listener of feed.listeners) listener([change]);
}

test("useMessages loads one chunk at the start", async () => {
  const result = open(1000);
  await waitFor(() => expect(result.current.messages.size).toBe(100));
  expect(result.current.rows).toBe(1000);
  expect(requests).toHaveLength(1);
});

test("useMessages loads the chunks around the visible rows", async () => {
  const result = open(1000, 500);
  await waitFor(() => expect(result.current.messages.has(500)).toBe(true));
  act(() => result.current.setRange(800, 815));
  await waitFor(() => expect(result.current.messages.has(800)).toBe(true));
  expect(result.current.messages.has(0)).toBe(false);
});

test("useMessages keeps the visible rows when a jump's rows arrive after the list has left it", async () => {
  const result = open(1000);
  await waitFor(() => expect(result.current.messages.has(0)).toBe(true));
  act(() => result.current.setRange(980, 999));
  await act(() => result.current.fetchAround(500));
  await waitFor(() => expect(result.current.messages.has(999)).toBe(true));
  expect(result.current.messages.has(500)).toBe(true);
});

test("useMessages appends messages of the feed to the open chunk and starts the next one", async () => {
  const result = open(95, 90);
  await waitFor(() => expect(result.current.messages.size).toBe(95));
  await act(async () => append(15));
  await waitFor(() => expect(result.current.rows).toBe(110));
  await waitFor(() => expect(result.current.messages.size).toBe(110));
  expect(requests).toHaveLength(2);
  await act(async () => append(1));
  await waitFor(() => expect(result.current.messages.has(110)).toBe(true));
});

test("useMessages puts inherited messages before those of the run", async () => {
  const from = { branch_id: "b", session_id: "parent", last_ord: 9 } as Ancestor;
  const inherited = [from];
  const result = open(5, 0, inherited);
  await waitFor(() => expect(result.current.messages.size).toBe(15));
  expect(result.current.rows).toBe(15);
  expect(result.current.messages.get(9)?.id).toContain("/branches/b/");
  expect(result.current.messages.get(10)?.id).toBe("/api/sessions/s/messages 0");
});

test("useMessages reports an error and recovers on retry", async () => {
  const working = globalThis.fetch;
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("refused")));
  const result = open(5);
  await waitFor(() => expect(result.current.error).not.toBeNull());
  vi.stubGlobal("fetch", working);
  await act(async () => void result.current.retry?.());
  await waitFor(() => expect(result.current.messages.size).toBe(5));
  expect(result.current.error).toBeNull();
});
