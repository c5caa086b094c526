// Server-sent events out of text, a piece at a time. Comments matter here: the server's heartbeat is one.

export interface SentEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Takes pieces of text in any cut and gives the events that are complete; `beat` is called for each comment. */
export class EventParser {
  private rest = "";

  constructor(private readonly beat: () => void) {}

  push(piece: string): SentEvent[] {
    const blocks = (this.rest + piece).split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => this.parsed(block));
  }

  private parsed(block: string): SentEvent[] {
    const found: SentEvent = { id: undefined, event: "message", data: "" };
    let isEvent = false;
    for (const line of block.split("\n")) {
      if (line.startsWith(":")) this.beat();
      const at = line.indexOf(": ");
      const value = line.slice(at + 2);
      const name = at < 0 ? "" : line.slice(0, at);
      if (name === "id") found.id = value;
      if (name === "event") found.event = value;
      if (name === "data") {
        found.data = isEvent ? `${found.data}\n${value}` : value;
        isEvent = true;
      }
    }
    return isEvent ? [found] : [];
  }
}
