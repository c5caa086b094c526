// Questions in words: their kinds, and how they ended.

type Kind = "permission" | "question" | "gate" | "budget" | "escalation" | "conflict";
export type Effect = "allow" | "allow_always" | "deny" | "reply";

export interface Option {
  id: string;
  label: string;
  effect: Effect;
  /** Words must come with it. */
  needs_text?: boolean;
  /** The effect in words. */
  detail?: string | null;
}

interface Asked {
  kind: Kind;
  status: "asked" | "shown" | "answered" | "taken" | "withdrawn" | "expired";
  options: readonly Option[];
  answer: { option?: string | null; text?: string | null } | null;
  answered_by: string | null;
  closed_reason: string | null;
}

export const KIND_LABELS: Record<Kind, string> = {
  permission: "Permission",
  question: "Question",
  gate: "Approval",
  budget: "Budget",
  escalation: "Escalation",
  conflict: "Conflict",
};

const VERBS: Record<Effect, string> = {
  allow: "Allowed",
  allow_always: "Always allowed",
  deny: "Denied",
  reply: "Answered",
};

export const isOpen = ({ status }: Pick<Asked, "status">): boolean => status === "asked" || status === "shown";

/** "Denied by ada: use the staging table", and for a decision about a show "Approve by ada"; with `lost`, that another answer was first. */
export function outcomeText(question: Asked, lost = false): string {
  const { answer, answered_by, closed_reason, status } = question;
  if (answer === null) {
    const verb = status === "expired" ? "Expired" : "Withdrawn";
    return closed_reason ? `${verb}: ${closed_reason}` : verb;
  }
  const option = question.options.find(({ id }) => id === answer.option);
  const isReply = option === undefined || option.effect === "reply";
  const words = [isReply ? option?.label : undefined, answer.text].filter(Boolean).join(": ");
  if (lost) return `${answered_by ?? "Another answer"} was first: ${option?.label ?? words}`;
  const who = answered_by ? ` by ${answered_by}` : "";
  const isDecision = question.kind !== "permission" && question.kind !== "question";
  const verb = isDecision && !isReply ? option.label : VERBS[option?.effect ?? "reply"];
  return `${verb}${who}${words ? `: ${words}` : ""}`;
}

/** The option of a key: `a` allows, `d` denies, a number is an option by its place. */
export function optionForKey(options: readonly Option[], key: string): Option | undefined {
  if (key === "a") return options.find(({ effect }) => effect === "allow");
  if (key === "d") return options.find(({ effect }) => effect === "deny");
  return /^[1-9]$/.test(key) ? options[Number(key) - 1] : undefined;
}
