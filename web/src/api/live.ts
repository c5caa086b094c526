// The live half of the page: changes of the state come in here and make queries old, precisely and not too often.
//
// Browsers allow six connections to a server, all tabs together, so only one tab holds the stream (whoever has the
// lock) and tells the others. The page subscribes first and fetches then: nothing falls into the gap.
import type { QueryClient } from "@tanstack/react-query";
import { type Change, concernsOf } from "@/domain/live/changes";
import type { SentEvent } from "@/domain/live/sse";
import { access } from "./auth";
import { heard, lost } from "./connection";
import { follow } from "./event-stream";
import { Refresher } from "./invalidator";

type Told =
  | { type: "hello" | "heard" | "lost" | "out" }
  | { type: "resync"; seq: number | undefined }
  | { type: "change"; change: Change };
type Listener = (changes: Change[]) => void;

const NAME = "lion-live";
const listeners = new Set<Listener>();

/** Be told of changes, once a frame; a page that patches what it shows uses this. Gives the end of it. */
export function onChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follow the state for as long as the page lives; resolves when the subscription stands. */
export function startLive(queries: QueryClient): Promise<void> {
  return new Promise((standing) => new Live(queries, standing).start());
}

class Live {
  private readonly refresher: Refresher;
  private readonly others = new BroadcastChannel(NAME);
  private batch: Change[] = [];
  private seen: number | undefined;
  private leading = false;

  constructor(
    private readonly queries: QueryClient,
    private readonly standing: () => void,
  ) {
    this.refresher = new Refresher(queries);
  }

  start(): void {
    this.others.onmessage = (message: MessageEvent<Told>) => this.take(message.data);
    this.others.postMessage({ type: "hello" } satisfies Told);
    void navigator.locks.request(NAME, () => {
      this.leading = true;
      return follow("/api/events", () => this.seen?.toString(), this, new AbortController().signal);
    });
  }

  // What the stream tells the tab that holds it.
  opened = (): void => {
    // Without a place to go on from, whatever happened before this moment is unknown.
    const knows = this.seen !== undefined || this.queries.getQueryCache().getAll().length === 0;
    this.tell(knows ? { type: "heard" } : { type: "resync", seq: undefined });
  };
  heard = (): void => this.tell({ type: "heard" });
  lost = (status: number): void => this.tell({ type: status === 401 ? "out" : "lost" });
  event = ({ event, data }: SentEvent): void => {
    const said = JSON.parse(data) as Change;
    this.tell(event === "resync" ? { type: "resync", seq: said.seq } : { type: "change", change: said });
  };

  private tell(told: Told): void {
    this.take(told);
    this.others.postMessage(told);
  }

  private take(told: Told): void {
    switch (told.type) {
      case "hello":
        if (this.leading) this.others.postMessage({ type: "heard" } satisfies Told);
        return;
      case "lost":
        lost();
        return;
      case "out":
        access.set("out");
        return;
      case "heard":
        break;
      case "resync":
        this.seen = told.seq ?? this.seen;
        this.refresher.all();
        break;
      case "change":
        this.note(told.change);
    }
    heard();
    this.standing();
  }

  private note(change: Change): void {
    if (change.seq <= (this.seen ?? 0)) return;
    this.seen = change.seq;
    if (this.batch.push(change) === 1) soon(() => this.flush());
  }

  private flush(): void {
    const changes = this.batch;
    this.batch = [];
    // What a page adds to what it shows is asked for first; what only grew old can wait behind it.
    for (const listener of listeners) listener(changes);
    this.refresher.add(changes.flatMap(concernsOf));
  }
}

/** Before the next frame, or soon in a tab that paints none. */
function soon(run: () => void): void {
  if (document.hidden) setTimeout(run, 100);
  else requestAnimationFrame(run);
}
