import { expect, test } from "vitest";
import { arrange, clusterTitle, type Item, secondsUntilTomorrow } from "./attention";

const item = (id: string, rank: number, more: Partial<Item> = {}): Item => ({
  id,
  rank,
  cluster: id,
  question: null,
  dismissed: false,
  snoozed_until: null,
  ...more,
});
const asked = (id: string, kind = "permission") => ({ id, kind });

test("arrange lists questions once, before everything else", () => {
  const items = [item("q:1", 1, { question: "1" }), item("gate", 1), item("dead", 3), item("failed", 4)];
  const { blocks, count } = arrange(items, [asked("1"), asked("2"), asked("3", "escalation")], 0);
  expect(blocks[0].questions.map(({ id }) => id)).toEqual(["1", "2"]);
  expect(blocks[0].rows.map(({ key }) => key)).toEqual(["gate"]);
  expect(blocks[1].questions.map(({ id }) => id)).toEqual(["3"]);
  expect(blocks[2].rows.map(({ key }) => key)).toEqual(["dead", "failed"]);
  expect(count).toBe(6);
});

test("arrange does not list a question that is gone", () => {
  const { blocks, count } = arrange([item("q:1", 1, { question: "1" })], [], 0);
  expect(blocks.flatMap(({ rows }) => rows)).toEqual([]);
  expect(count).toBe(0);
});

test("arrange hides what is dismissed or snoozed, until its time has come", () => {
  const items = [item("q:1", 1, { question: "1", snoozed_until: 100 }), item("old", 4, { dismissed: true })];
  const before = arrange(items, [asked("1")], 99);
  expect(before.count).toBe(0);
  expect(before.hidden).toHaveLength(2);
  expect(arrange(items, [asked("1")], 101).blocks[0].questions).toHaveLength(1);
});

test("arrange clusters three or more of one reason", () => {
  const failures = Array.from({ length: 97 }, (_, index) => item(`f${index}`, 4, { cluster: "limit" }));
  const pair = [item("p1", 4, { cluster: "pair" }), item("p2", 4, { cluster: "pair" })];
  const { rows } = arrange([...failures, ...pair], [], 0).blocks[2];
  expect(rows.map(({ items }) => items.length)).toEqual([97, 1, 1]);
  expect(rows[0] && clusterTitle(rows[0])).toBe("97 failed");
});

test("secondsUntilTomorrow ends at eight in the morning", () => {
  expect(secondsUntilTomorrow(new Date(2026, 4, 1, 20, 0, 0))).toBe(12 * 3600);
  expect(secondsUntilTomorrow(new Date(2026, 4, 1, 7, 0, 0))).toBe(25 * 3600);
});
