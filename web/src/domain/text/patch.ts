// Lines of a diff, classified and numbered for display: from a git patch, or from hunks of the API.

export interface PatchLine {
  kind: "file" | "hunk" | "add" | "remove" | "same" | "note";
  /** With its mark: a space, + or -. */
  text: string;
  /** The numbers of the line in the old and the new file, where they are known. */
  old?: number | undefined;
  new?: number | undefined;
}

export interface Hunk {
  lines: readonly string[];
  old_start: number | null;
  new_start: number | null;
  header: string;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parsePatch(patch: string): PatchLine[] {
  let number: ReturnType<typeof numbered> | undefined;
  // The line break at the end begins no line.
  return patch
    .replace(/\n$/, "")
    .split("\n")
    .map((text) => {
      if (text.startsWith("diff --git ")) number = undefined;
      if (text.startsWith("diff --git ")) return { kind: "file", text };
      if (text.startsWith("@@")) {
        const [, old, current] = HUNK.exec(text) ?? [];
        number = numbered(old === undefined ? null : Number(old), current === undefined ? null : Number(current));
        return { kind: "hunk", text };
      }
      return number ? number(text) : { kind: "note", text };
    });
}

/** The lines of hunks; a heading where the place in the file or the function is not clear. */
export function hunkLines(hunks: readonly Hunk[]): PatchLine[] {
  return hunks.flatMap(({ lines, old_start, new_start, header }, index) => {
    const heading: PatchLine[] =
      header !== "" || index > 0 ? [{ kind: "hunk", text: header === "" ? "⋯" : `@@ ${header}` }] : [];
    return [...heading, ...lines.map(numbered(old_start, new_start))];
  });
}

/** Classifies the lines of one hunk, in their order. */
function numbered(oldStart: number | null, newStart: number | null): (text: string) => PatchLine {
  let [old, current] = [oldStart, newStart];
  const next = { old: () => (old === null ? undefined : old++), new: () => (current === null ? undefined : current++) };
  return (text) => {
    const mark = text.charAt(0);
    if (mark === "\\") return { kind: "note", text };
    if (mark === "+") return { kind: "add", text, new: next.new() };
    if (mark === "-") return { kind: "remove", text, old: next.old() };
    return { kind: "same", text, old: next.old(), new: next.new() };
  };
}

/** Lines that are added and removed. */
export function countChanges(lines: readonly PatchLine[]): { added: number; removed: number } {
  const count = (kind: PatchLine["kind"]): number => lines.filter((line) => line.kind === kind).length;
  return { added: count("add"), removed: count("remove") };
}
