// Live updates: receives the change feed and invalidates the affected queries, at a limited rate.
//
// Browsers allow six connections to a server for all tabs together, so the tab that holds the lock reads the stream and
// broadcasts it to the others. The page subscribes before it fetches, so no change is lost in between.
import type { QueryClient } from "@tanstack/react-query";
import { type Change, staleQueries } from "@/domain/live/changes";
import type { ServerSentEvent } from "@/domain/live/sse";
import { rejectSession } from "../sign-in/auth";
import { markDisconnected, markHeard } from "./connection";
import { followStream } from "./event-stream";
import { QueryInvalidator } from "./invalidator";

type LiveMessage =
  | { type: "hello" | "heard" | "lost" | "out" }
  | { type: "resync"; seq: number | undefined }
  | { type: "change"; change: Change };
type Listener = (changes: Change[]) => void;

const NAME = "lion-live";
const listeners = new Set<Listener>();

/** Calls the listener with new changes, at most once a frame; returns a function that unsubscribes. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the feed for the lifetime of the page; resolves when it is subscribed. */
export function startLive(queries: QueryClient): Promise<void> {
  return new Promise((onSubscribed) => new Live(queries, onSubscribed).start());
}

class Live {
  private readonly invalidator: QueryInvalidator;
  private readonly channel = new BroadcastChannel(NAME);
  private batch: Change[] = [];
  private lastSeq: number | undefined;
  private isLeader = false;

  constructor(
    private readonly queries: QueryClient,
    private readonly onSubscribed: () => void,
  ) {
    this.invalidator = new QueryInvalidator(queries);
  }

  start(): void {
    this.channel.onmessage = (message: MessageEvent<LiveMessage>) => this.handle(message.data);
    this.channel.postMessage({ type: "hello" } satisfies LiveMessage);
    void navigator.locks.request(NAME, () => {
      this.isLeader = true;
      return followStream("/api/events", () => this.lastSeq?.toString(), this, new AbortController().signal);
    });
  }

  // Handlers of the event stream, in the tab that holds it.
  opened = (): void => {
    // Without a sequence number to resume from, changes before this moment may have been missed.
    const isContinuous = this.lastSeq !== undefined || this.queries.getQueryCache().getAll().length === 0;
    this.broadcast(isContinuous ? { type: "heard" } : { type: "resync", seq: undefined });
  };
  heard = (): void => this.broadcast({ type: "heard" });
  lost = (status: number): void => this.broadcast({ type: status === 401 ? "out" : "lost" });
  event = ({ event, data }: ServerSentEvent): void => {
    const payload = JSON.parse(data) as Change;
    this.broadcast(event === "resync" ? { type: "resync", seq: payload.seq } : { type: "change", change: payload });
  };

  private broadcast(message: LiveMessage): void {
    this.handle(message);
    this.channel.postMessage(message);
  }

  private handle(message: LiveMessage): void {
    switch (message.type) {
      case "hello":
        if (this.isLeader) this.channel.postMessage({ type: "heard" } satisfies LiveMessage);
        return;
      case "lost":
        markDisconnected();
        return;
      case "out":
        rejectSession();
        return;
      case "heard":
        break;
      case "resync":
        this.lastSeq = message.seq ?? this.lastSeq;
        this.invalidator.invalidateAll();
        break;
      case "change":
        this.queueChange(message.change);
    }
    markHeard();
    this.onSubscribed();
  }

  private queueChange(change: Change): void {
    if (change.seq <= (this.lastSeq ?? 0)) return;
    this.lastSeq = change.seq;
    if (this.batch.push(change) === 1) beforeNextFrame(() => this.flush());
  }

  private flush(): void {
    const changes = this.batch;
    this.batch = [];
    // Listeners fetch what they show; invalidated queries can wait behind that.
    for (const listener of listeners) listener(changes);
    this.invalidator.invalidate(changes.flatMap(staleQueries));
  }
}

/** A hidden tab has no frames. */
function beforeNextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, 100);
  else requestAnimationFrame(run);
}
