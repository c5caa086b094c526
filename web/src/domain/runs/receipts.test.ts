import { expect, test } from "vitest";
import { receiptText, shownReceipts } from "./receipts";

const message = (id: string, taken_ord: number | null) => ({ id, taken_ord });

test("shownReceipts keeps queued messages and the last taken ones of this visit", () => {
  const all = [
    message("old", 1),
    message("a", 2),
    message("b", 3),
    message("c", 4),
    message("d", 5),
    message("e", null),
  ];
  const shown = shownReceipts(all, new Set(["a", "b", "c", "d", "e"]));
  expect(shown.map(({ id }) => id)).toEqual(["b", "c", "d", "e"]);
});

test("receiptText says where a message is", () => {
  expect(receiptText(message("a", null), "now", true)).toBe("queued");
  expect(receiptText(message("a", null), "next", true)).toBe("queued for the next turn");
  expect(receiptText(message("a", 7), "now", true)).toBe("taken at");
  expect(receiptText(message("a", null), "now", false)).toBe("not taken before the run ended");
});
