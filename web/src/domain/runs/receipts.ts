// Messages to a running agent and their receipts.

export type Delivery = "now" | "next" | "instead";

export const DELIVERIES: Record<Delivery, { label: string; send: string; effect: string }> = {
  now: { label: "Now", send: "Send now", effect: "The agent reads it during the running turn" },
  next: { label: "Next", send: "Queue", effect: "The agent reads it when the running turn has ended" },
  instead: {
    label: "Instead",
    send: "Interrupt",
    effect: "The running turn is interrupted; the agent reads it at once",
  },
};

interface Receipt {
  id: string;
  taken_ord: number | null;
}

const MAX_TAKEN = 3;

/** The messages that the agent has not taken, and the last of those that were queued while the page was open. */
export function shownReceipts<T extends Receipt>(messages: readonly T[], queuedBefore: ReadonlySet<string>): T[] {
  const taken = messages.filter(({ id, taken_ord }) => taken_ord !== null && queuedBefore.has(id)).slice(-MAX_TAKEN);
  return messages.filter((message) => message.taken_ord === null || taken.includes(message));
}

export function receiptText(receipt: Receipt, delivery: string | null, isRunning: boolean): string {
  if (receipt.taken_ord !== null) return "taken at";
  if (!isRunning) return "not taken before the run ended";
  return delivery === "next" ? "queued for the next turn" : "queued";
}
