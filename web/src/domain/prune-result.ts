// The result of `li state prune --json` as a sentence.
import { bytes, plural } from "./text/format";

interface PruneOutput {
  deleted?: { sessions: number; messages: number; bytes_given_back: number } | null;
}

export function pruneResult(output: string): string {
  const { deleted } = parse(output.slice(output.indexOf("{")));
  if (!deleted) return "Prune: done; its output is in Launches";
  const counts = `${plural(deleted.sessions, "run")} and ${plural(deleted.messages, "message")}`;
  return `Prune: deleted ${counts}, ${bytes(deleted.bytes_given_back)} freed on disk`;
}

function parse(text: string): PruneOutput {
  try {
    return JSON.parse(text) as PruneOutput;
  } catch {
    return {};
  }
}
