// The list of shows: states to filter by, text search and order.

interface Listed {
  topic: string;
  goal: string | null;
  status: string;
  updated_at: number | null;
  plays_total: number;
  plays_merged: number;
  waits_for: readonly { play: string | null; title: string }[];
  usage?: { total: number; cost_microusd: number | null } | null | undefined;
  error?: string | null | undefined;
}

export type Sort = "updated" | "topic" | "progress" | "cost" | "tokens";

export interface ListFilters {
  q?: string | undefined;
  state?: string | undefined;
  sort?: Sort | undefined;
}

const NEEDS_YOU = "needs you";

/** The state that a show is filtered by: whether it waits for a person, else its status. */
export function listState({ status, waits_for, error }: Pick<Listed, "status" | "waits_for" | "error">): string {
  if (error) return "unreadable";
  if (waits_for.length > 0) return NEEDS_YOU;
  return status === "unknown" ? "not imported" : status;
}

/** The states that occur, with their counts; what needs a person comes first. */
export function listStates(shows: readonly Listed[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const show of shows) counts.set(listState(show), (counts.get(listState(show)) ?? 0) + 1);
  const states = [...counts].map(([value, count]) => ({ value, count }));
  return states.sort((a, b) => Number(b.value === NEEDS_YOU) - Number(a.value === NEEDS_YOU) || b.count - a.count);
}

export function filterShows<S extends Listed>(shows: readonly S[], { q = "", state, sort }: ListFilters): S[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = shows.filter((show) => {
    const text = [show.topic, show.goal, ...show.waits_for.map(({ title }) => title)].join(" ").toLowerCase();
    return (state === undefined || listState(show) === state) && words.every((word) => text.includes(word));
  });
  return sort === undefined || sort === "updated" ? matching : matching.sort(ORDERS[sort]);
}

const share = ({ plays_merged, plays_total }: Listed): number => (plays_total === 0 ? 0 : plays_merged / plays_total);
const ORDERS: Record<Exclude<Sort, "updated">, (a: Listed, b: Listed) => number> = {
  topic: (a, b) => a.topic.localeCompare(b.topic),
  progress: (a, b) => share(b) - share(a),
  cost: (a, b) => (b.usage?.cost_microusd ?? -1) - (a.usage?.cost_microusd ?? -1),
  tokens: (a, b) => (b.usage?.total ?? -1) - (a.usage?.total ?? -1),
};
