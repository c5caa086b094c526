// What is known of the line to the server, for the freshness mark.
import type { Line } from "@/domain/live/freshness";
import { createStore } from "./store";

export const line = createStore<Line>({ connected: false, heardAt: 0, lostAt: Date.now() });

export function heard(): void {
  line.set({ ...line.get(), connected: true, heardAt: Date.now() });
}

export function lost(): void {
  if (line.get().connected) line.set({ ...line.get(), connected: false, lostAt: Date.now() });
}
