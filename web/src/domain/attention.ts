// Orders what needs a person: questions, then what is escalated, stuck or dead, and what failed.

export interface Item {
  id: string;
  kind?: string;
  rank: number;
  /** Items with the same key have the same reason. */
  cluster: string;
  /** The open question that it stands for. */
  question: string | null;
  dismissed: boolean;
  snoozed_until: number | null;
}

interface Asked {
  id: string;
  kind: string;
}

/** One row: an item, or many with the same reason. */
export type Row<T> = { key: string; items: readonly [T, ...T[]] };

export interface Block<T, Q> {
  questions: Q[];
  rows: Row<T>[];
}

export interface Attention<T, Q> {
  /** Questions and approvals, escalations, everything else. */
  blocks: [Block<T, Q>, Block<T, Q>, Block<T, Q>];
  hidden: T[];
  count: number;
}

// Two of a kind are quicker read than opened.
const MIN_CLUSTER = 3;
const ESCALATIONS = ["escalation", "conflict"];

/** Every open question is listed once, as a card, also if the items do not know it yet or still list one that is gone. */
export function arrange<T extends Item, Q extends Asked>(
  items: readonly T[],
  questions: readonly Q[],
  now: number,
): Attention<T, Q> {
  const isHidden = (item: T): boolean => item.dismissed || (item.snoozed_until ?? 0) > now;
  const hidden = items.filter(isHidden);
  const hiddenQuestions = new Set(hidden.map(({ question }) => question));
  const open = questions.filter(({ id }) => !hiddenQuestions.has(id));
  const others = items.filter((item) => !item.question && !isHidden(item));
  const isEscalated = ({ kind }: Q): boolean => ESCALATIONS.includes(kind);
  const blocks: Attention<T, Q>["blocks"] = [
    { questions: open.filter((asked) => !isEscalated(asked)), rows: cluster(others.filter(({ rank }) => rank === 1)) },
    { questions: open.filter(isEscalated), rows: cluster(others.filter(({ rank }) => rank === 2)) },
    { questions: [], rows: cluster(others.filter(({ rank }) => !(rank <= 2))) },
  ];
  return { blocks, hidden, count: open.length + others.length };
}

function cluster<T extends Item>(items: readonly T[]): Row<T>[] {
  const alike = new Map<string, T[]>();
  for (const item of items) {
    const key = item.cluster ? `${item.rank} ${item.cluster}` : item.id;
    alike.set(key, [...(alike.get(key) ?? []), item]);
  }
  const rows: Row<T>[] = [];
  for (const [key, [first, ...rest]] of alike) {
    if (first === undefined) continue;
    if (rest.length + 1 >= MIN_CLUSTER) rows.push({ key, items: [first, ...rest] });
    else rows.push(...[first, ...rest].map((item): Row<T> => ({ key: item.id, items: [item] })));
  }
  return rows;
}

const RANK_WORDS = ["waiting", "waiting", "escalated", "stuck or dead", "failed"];

/** "97 failed" */
export function clusterTitle(row: Row<Item>): string {
  const [{ kind, rank }] = row.items;
  return `${row.items.length} ${kind === "refused" ? "refused decisions" : (RANK_WORDS[rank] ?? "waiting")}`;
}

const MORNING = 8;

/** Until eight o'clock of the next day. */
export function secondsUntilTomorrow(now: Date): number {
  const morning = new Date(now);
  morning.setDate(now.getDate() + 1);
  morning.setHours(MORNING, 0, 0, 0);
  return Math.round((morning.getTime() - now.getTime()) / 1000);
}
