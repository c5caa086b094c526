// Invalidates queries at once, then at most twice a second for the same target: a run that writes a thousand messages
// must not cause a thousand requests. Questions are few and a person waits for them: they come first and wait less.
import type { QueryClient } from "@tanstack/react-query";
import type { StaleQuery } from "@/domain/live/changes";

const EVERY_MS = 500;
const EVERY_QUESTION_MS = 100;
const everyMs = ({ root }: StaleQuery): number => (root === "questions" ? EVERY_QUESTION_MS : EVERY_MS);

export class QueryInvalidator {
  private readonly last = new Map<string, number>();
  private readonly waiting = new Map<string, StaleQuery>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly queries: QueryClient,
    private readonly now: () => number = () => performance.now(),
  ) {}

  invalidate(stale: StaleQuery[]): void {
    for (const target of stale.toSorted((one, other) => everyMs(one) - everyMs(other)))
      this.waiting.set(`${target.root} ${target.id ?? ""}`, target);
    this.run();
  }

  invalidateAll(): void {
    this.waiting.clear();
    void this.queries.invalidateQueries();
  }

  private run(): void {
    const now = this.now();
    let nextIn = EVERY_MS;
    for (const [name, target] of this.waiting) {
      const wait = (this.last.get(name) ?? -EVERY_MS) + everyMs(target) - now;
      if (wait > 0) {
        nextIn = Math.min(nextIn, wait);
        continue;
      }
      this.waiting.delete(name);
      this.last.set(name, now);
      const queryKey = target.id === undefined ? [target.root] : [target.root, target.id];
      void this.queries.invalidateQueries({ queryKey });
    }
    clearTimeout(this.timer);
    if (this.waiting.size > 0) this.timer = setTimeout(() => this.run(), nextIn);
  }
}
