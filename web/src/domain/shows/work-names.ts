// Kinds of orders as people read them.

const NAMES: Record<string, string> = {
  show: "directs the show",
  attempt: "attempt",
  gates: "gates",
  merge: "merge",
  final_gates: "final gates",
};

export const workName = (work: string): string => NAMES[work] ?? work;
