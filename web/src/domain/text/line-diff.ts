// The difference of two texts, line by line, as the lines of a patch.
import type { PatchLine } from "./patch";

const CONTEXT = 3;
// The table of a longer comparison would be slow; its lines are shown as removed and added.
const MAX_CELLS = 250_000;

/** The changed lines with up to three lines around each; null stands for a file that does not exist. */
export function diffLines(old: string | null, current: string): PatchLine[] {
  const before = old === null ? [] : old.split("\n");
  const after = current.split("\n");
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const middle = compare(before.slice(start, before.length - end), after.slice(start, after.length - end));
  const same = (lines: string[]): PatchLine[] => lines.map((text) => ({ kind: "same", text: ` ${text}` }));
  const tail = after.slice(after.length - end);
  return [...same(after.slice(Math.max(0, start - CONTEXT), start)), ...middle, ...same(tail.slice(0, CONTEXT))];
}

/** The longest common subsequence, walked from the start. */
function compare(before: string[], after: string[]): PatchLine[] {
  const width = after.length + 1;
  const isLarge = (before.length + 1) * width > MAX_CELLS;
  const common = new Uint32Array(isLarge ? 0 : (before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0 && !isLarge; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: PatchLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    if (!isLarge && row < before.length && before[row] === after[column]) {
      lines.push({ kind: "same", text: ` ${after[column]}` });
      row++;
      column++;
    } else if (row < before.length && (column === after.length || at(row + 1, column) >= at(row, column + 1)))
      lines.push({ kind: "remove", text: `-${before[row++]}` });
    else lines.push({ kind: "add", text: `+${after[column++]}` });
  }
  return lines;
}
