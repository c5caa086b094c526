// A server-sent event stream that reconnects. Not EventSource: it hides heartbeats and the status of a failed response, and
// cannot send the secret of the session.

import { HEARTBEAT_TIMEOUT_MS } from "@/domain/live/freshness";
import { EventParser, type ServerSentEvent } from "@/domain/live/sse";
import { sessionHeaders } from "../sign-in/auth";

export interface StreamHandlers {
  opened: () => void;
  heard: () => void;
  event: (event: ServerSentEvent) => void;
  lost: (status: number) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

/** Follows a stream until the signal aborts; reconnects resume after the last event seen. */
export async function followStream(
  url: string,
  lastSeen: () => string | undefined,
  on: StreamHandlers,
  stop: AbortSignal,
): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!stop.aborted) {
    const status = await readOnce(url, lastSeen(), on, stop, () => {
      wait = FIRST_WAIT_MS;
    });
    if (stop.aborted) return;
    on.lost(status);
    // Signed out: a sign-in reloads the page.
    if (status === 401) return;
    await pause(wait, stop);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

async function readOnce(
  url: string,
  last: string | undefined,
  on: StreamHandlers,
  stop: AbortSignal,
  onOpen: () => void,
): Promise<number> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), HEARTBEAT_TIMEOUT_MS);
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream", ...sessionHeaders() };
    if (last !== undefined) headers["Last-Event-ID"] = last;
    const signal = AbortSignal.any([stop, silence.signal]);
    const response = await fetch(url, { headers, signal, cache: "no-store" });
    if (!response.ok || !response.body) return response.status;
    const parser = new EventParser(on.heard);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    on.opened();
    onOpen();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 200;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), HEARTBEAT_TIMEOUT_MS);
      on.heard();
      for (const event of parser.push(value)) on.event(event);
    }
  } catch {
    return 0;
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    // Reconnect immediately when the tab gets focus or the network is back.
    for (const event of ["online", "focus"]) addEventListener(event, () => resolve(), { once: true, signal: stop });
    stop.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
