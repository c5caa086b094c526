// Invalidates queries at once, then at most twice a second for the same target: a run that writes a thousand messages
// must not cause a thousand requests.
import type { QueryClient } from "@tanstack/react-query";
import type { StaleQuery } from "@/domain/live/changes";

const EVERY_MS = 500;

export class QueryInvalidator {
  private readonly last = new Map<string, number>();
  private readonly waiting = new Map<string, StaleQuery>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly queries: QueryClient,
    private readonly now: () => number = () => performance.now(),
  ) {}

  invalidate(stale: StaleQuery[]): void {
    for (const target of stale) this.waiting.set(`${target.root} ${target.id ?? ""}`, target);
    this.run();
  }

  invalidateAll(): void {
    this.waiting.clear();
    void this.queries.invalidateQueries();
  }

  private run(): void {
    const now = this.now();
    for (const [name, target] of this.waiting) {
      if (now - (this.last.get(name) ?? -EVERY_MS) < EVERY_MS) continue;
      this.waiting.delete(name);
      this.last.set(name, now);
      const queryKey = target.id === undefined ? [target.root] : [target.root, target.id];
      void this.queries.invalidateQueries({ queryKey });
    }
    if (this.waiting.size === 0 || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.run();
    }, EVERY_MS);
  }
}
