// Parses server-sent events from chunks of text. Comments count: the server's heartbeat is one.

export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Takes text in any chunks and returns the complete events; calls `onComment` for each comment. */
export class EventParser {
  private buffer = "";

  constructor(private readonly onComment: () => void) {}

  push(chunk: string): ServerSentEvent[] {
    const blocks = (this.buffer + chunk).split("\n\n");
    this.buffer = blocks.pop() ?? "";
    return blocks.flatMap((block) => this.parseBlock(block));
  }

  private parseBlock(block: string): ServerSentEvent[] {
    const event: ServerSentEvent = { id: undefined, event: "message", data: "" };
    let hasData = false;
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) this.onComment();
      const at = line.indexOf(": ");
      const value = line.slice(at + 2);
      const name = at < 0 ? "" : line.slice(0, at);
      if (name === "id") event.id = value;
      if (name === "event") event.event = value;
      if (name === "data") {
        event.data = hasData ? `${event.data}\n${value}` : value;
        hasData = true;
      }
    }
    return hasData ? [event] : [];
  }
}
