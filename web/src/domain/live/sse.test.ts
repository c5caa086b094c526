import { expect, test } from "vitest";
import { EventParser } from "./sse";

const STREAM = 'retry: 1000\n\n: beat\n\nid: 7\nevent: session\ndata: {"seq":7}\n\nevent: resync\ndata: {"seq":9}\n\n';

test("EventParser parses events in any chunks", () => {
  for (const size of [1, 2, 3, 7, 1000]) {
    let beats = 0;
    const parser = new EventParser(() => {
      beats += 1;
    });
    const events = [];
    for (let at = 0; at < STREAM.length; at += size) events.push(...parser.push(STREAM.slice(at, at + size)));
    expect(events).toEqual([
      { id: "7", event: "session", data: '{"seq":7}' },
      { id: undefined, event: "resync", data: '{"seq":9}' },
    ]);
    expect(beats).toBe(1);
  }
});

test("EventParser waits for the end of an event", () => {
  const parser = new EventParser(() => {});
  expect(parser.push("id: 1\ndata: {}\n")).toEqual([]);
  expect(parser.push("\n")).toHaveLength(1);
});
