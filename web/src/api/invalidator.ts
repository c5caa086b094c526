// Makes queries old at once, and then at most twice a second for the same thing: a run that writes a thousand
// messages must not make the page ask a thousand times.
import type { QueryClient } from "@tanstack/react-query";
import type { Concern } from "@/domain/live/changes";

const EVERY_MS = 500;

export class Refresher {
  private readonly last = new Map<string, number>();
  private readonly waiting = new Map<string, Concern>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly queries: QueryClient,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** These became old; each is fetched again now, or as soon as its turn comes. */
  add(concerns: Concern[]): void {
    for (const concern of concerns) this.waiting.set(`${concern.root} ${concern.id ?? ""}`, concern);
    this.run();
  }

  /** Everything may be old. */
  all(): void {
    this.waiting.clear();
    void this.queries.invalidateQueries();
  }

  private run(): void {
    const now = this.now();
    for (const [name, concern] of this.waiting) {
      if (now - (this.last.get(name) ?? -EVERY_MS) < EVERY_MS) continue;
      this.waiting.delete(name);
      this.last.set(name, now);
      const queryKey = concern.id === undefined ? [concern.root] : [concern.root, concern.id];
      void this.queries.invalidateQueries({ queryKey });
    }
    if (this.waiting.size === 0 || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.run();
    }, EVERY_MS);
  }
}
