import { expect, test } from "vitest";
import { mergeOutlines, type Outline } from "./outline";

const empty: Outline = {
  seq: 1,
  session_id: "s",
  kinds: "",
  lanes: [],
  contexts: [],
  errors: [],
  users: [],
  tools: {},
  files: [],
  last_ord: null,
  has_more: false,
};
const file = (path: string, last_ord: number) => ({
  path,
  calls: 1,
  tools: ["Read"],
  first_ord: last_ord,
  last_ord,
});

test("mergeOutlines adds the new part", () => {
  const old = {
    ...empty,
    kinds: "ucre",
    users: [0],
    tools: { Bash: { calls: 2, errors: 1 } },
    files: [file("a", 3)],
    last_ord: 5,
  };
  const news = {
    ...empty,
    seq: 9,
    kinds: "ua",
    users: [7],
    tools: { Bash: { calls: 1, errors: 1 } },
    files: [file("b", 8), file("a", 7)],
  };
  const both = mergeOutlines(old, { ...news, last_ord: 8 });
  expect(both.kinds).toBe("ucreua");
  expect(both.users).toEqual([0, 7]);
  expect(both.tools).toEqual({ Bash: { calls: 3, errors: 2 } });
  expect(both.files.map(({ path, calls, first_ord }) => [path, calls, first_ord])).toEqual([
    ["b", 1, 8],
    ["a", 2, 3],
  ]);
  expect([both.seq, both.last_ord, mergeOutlines(old, news).last_ord]).toEqual([9, 8, 5]);
});

test("mergeOutlines is safe against any tool name", () => {
  const trap = JSON.parse('{"__proto__": {"calls": 1, "errors": 0}}') as Outline["tools"];
  const both = mergeOutlines({ ...empty, tools: trap }, { ...empty, tools: trap });
  expect(Object.entries(both.tools)).toEqual([["__proto__", { calls: 2, errors: 0 }]]);
  expect({}).not.toHaveProperty("calls");
});
