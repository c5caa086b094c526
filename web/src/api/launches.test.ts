import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Change } from "@/domain/live/changes";
import type { Launch } from "./launches";
import { startRun } from "./launches";

const feed = vi.hoisted(() => ({ listeners: new Set<(changes: Change[]) => void>() }));
vi.mock("./live/feed", () => ({
  onChanges: (listener: (changes: Change[]) => void) => {
    feed.listeners.add(listener);
    return () => feed.listeners.delete(listener);
  },
}));

const BODY = { verb: "agent", target: "claude", prompt: "Try again", options: { fork: "parent" } };
const RUNNING = { id: "l1", session_id: "child", running: true, exit_code: null } as Launch;
let launch: Launch;
let output: string;
let requests: string[];

beforeEach(() => {
  vi.useFakeTimers();
  [launch, output, requests] = [RUNNING, "", []];
  vi.stubGlobal("fetch", async (url: string, { method = "GET" }: RequestInit = {}) => {
    requests.push(`${method} ${url}`);
    return Response.json({ launch, output });
  });
});

afterEach(() => {
  expect(feed.listeners.size).toBe(0);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const report = (id: string): void => {
  const change = { seq: 1, entity: "session", entity_id: id } as Change;
  for (const listener of feed.listeners) listener([change]);
};

test("startRun waits until the feed reports the run", async () => {
  const resolved = vi.fn();
  const started = startRun(BODY).then(resolved);
  await vi.advanceTimersByTimeAsync(1200);
  report("another");
  await vi.advanceTimersByTimeAsync(600);
  expect(resolved).not.toHaveBeenCalled();
  report("child");
  await vi.advanceTimersByTimeAsync(500);
  await started;
  expect(resolved).toHaveBeenCalledWith(RUNNING);
  expect(requests.filter((request) => request.startsWith("POST"))).toEqual(["POST /api/launches"]);
});

test("startRun resolves at once when the run was recorded before the response", async () => {
  const started = startRun(BODY);
  report("child");
  await started;
  expect(requests).toEqual(["POST /api/launches"]);
});

test("startRun throws the output of a process that failed before it recorded a run", async () => {
  launch = { ...RUNNING, running: false, exit_code: 2 };
  output = "li: the agent 'claude' is not installed\n";
  await expect(startRun(BODY)).rejects.toThrow("li: the agent 'claude' is not installed");
});

test("startRun resolves when the process succeeded although the feed reported nothing", async () => {
  launch = { ...RUNNING, running: false, exit_code: 0 };
  await expect(startRun(BODY)).resolves.toMatchObject({ session_id: "child" });
});

test("startRun gives up waiting after 30 seconds", async () => {
  const started = startRun(BODY);
  await vi.advanceTimersByTimeAsync(31_000);
  await expect(started).resolves.toEqual(RUNNING);
});
