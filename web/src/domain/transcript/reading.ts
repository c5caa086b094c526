// Parts of a transcript: kinds of messages, or one branch. The outline has a letter for each message, so the rows are
// known before the messages are loaded.
import { errorOrd, type Outline } from "./outline";

export const MODES = ["messages", "thoughts", "tools", "errors"] as const;
export type Mode = (typeof MODES)[number];

export interface Reading {
  /** The modes that are on; none means all of them. */
  modes: readonly Mode[];
  branch: string | undefined;
}

/** Letters of `kinds`: user, assistant, both answer and thought, thought, system, call, result, error, other. */
const LETTERS: Record<Mode, string> = { messages: "uabso", thoughts: "bt", tools: "cre", errors: "e" };

export function isWhole({ modes, branch }: Reading): boolean {
  return modes.length === 0 && branch === undefined;
}

/** Whether messages of this mode are shown. */
export function shows({ modes }: Reading, mode: Mode): boolean {
  return modes.length === 0 || modes.includes(mode);
}

/** Adds or removes a mode; all of them are the same as none. */
export function toggleMode(modes: readonly Mode[], mode: Mode): Mode[] {
  const next = MODES.filter((each) => modes.includes(each) !== (each === mode));
  return next.length === MODES.length ? [] : next;
}

type ReadOutline = Pick<Outline, "kinds" | "lanes" | "errors">;

/** The numbers of the messages to show, ascending. */
export function readOrds(outline: ReadOutline, reading: Reading): number[] {
  const { modes, branch } = reading;
  const isMessagesOnly = modes.length === 1 && modes[0] === "messages";
  const letters = new Set(modes.flatMap((mode) => [...LETTERS[mode]]));
  const calls = new Set(modes.includes("errors") ? outline.errors.map(errorOrd) : []);
  const answers = isMessagesOnly ? finalAnswers(outline) : undefined;
  const isShown = (ord: number, letter: string): boolean => {
    if (modes.length === 0) return true;
    if (answers && "ab".includes(letter)) return answers.has(ord);
    if (answers && letter !== "u") return false;
    return letters.has(letter) || calls.has(ord);
  };
  const ords: number[] = [];
  forEachMessage(outline, (ord, letter, lane) => {
    if ((branch === undefined || lane === branch) && isShown(ord, letter)) ords.push(ord);
  });
  return ords;
}

/** The last answer of each branch before the user speaks again. */
function finalAnswers(outline: ReadOutline): Set<number> {
  const answers = new Set<number>();
  const last = new Map<string | null, number>();
  forEachMessage(outline, (ord, letter, lane) => {
    if ("ab".includes(letter)) last.set(lane, ord);
    if (letter !== "u") return;
    const answer = last.get(lane);
    if (answer !== undefined) answers.add(answer);
    last.delete(lane);
  });
  for (const ord of last.values()) answers.add(ord);
  return answers;
}

function forEachMessage(
  { kinds, lanes }: ReadOutline,
  visit: (ord: number, letter: string, lane: string | null) => void,
): void {
  let lane: string | null = null;
  let next = 0;
  for (let ord = 0; ord < kinds.length; ord++) {
    for (; (lanes[next]?.ord ?? Number.POSITIVE_INFINITY) <= ord; next++) lane = lanes[next]?.branch_id ?? null;
    visit(ord, kinds[ord] ?? "o", lane);
  }
}

/** The branch of a message. */
export function branchAt(lanes: Outline["lanes"], ord: number): string | null {
  return lanes.findLast((lane) => lane.ord <= ord)?.branch_id ?? null;
}

/** The position of a number in an ascending list: its own, else that of the next smaller one. */
export function indexAtOrBefore(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
