// The state of the connection to the server.
import type { Connection } from "@/domain/live/freshness";
import { createStore } from "../store";

export const connection = createStore<Connection>({
  connected: false,
  lastHeardAt: 0,
  disconnectedAt: Date.now(),
});

export function markHeard(): void {
  connection.set({ ...connection.get(), connected: true, lastHeardAt: Date.now() });
}

export function markDisconnected(): void {
  if (connection.get().connected) connection.set({ ...connection.get(), connected: false, disconnectedAt: Date.now() });
}
