// Lines of a git patch, classified for display.

export interface PatchLine {
  kind: "file" | "hunk" | "add" | "remove" | "same" | "note";
  text: string;
}

export function parsePatch(patch: string): PatchLine[] {
  let inHunk = false;
  return patch.split("\n").map((text) => {
    if (text.startsWith("diff --git ")) inHunk = false;
    if (text.startsWith("@@")) inHunk = true;
    return { kind: lineKind(text, inHunk), text };
  });
}

function lineKind(text: string, inHunk: boolean): PatchLine["kind"] {
  if (text.startsWith("diff --git ")) return "file";
  if (text.startsWith("@@")) return "hunk";
  if (!inHunk || text.startsWith("\\")) return "note";
  if (text.startsWith("+")) return "add";
  return text.startsWith("-") ? "remove" : "same";
}
