import { expect, test } from "vitest";
import { branchAt, indexAtOrBefore, type Mode, readOrds, toggleMode } from "./reading";

const at = { message_id: "", branch_id: null, at: null, tool: null, text: "" };
//              0123456789
const outline = {
  kinds: "suatcrbcea",
  lanes: [
    { ord: 0, branch_id: "main" },
    { ord: 4, branch_id: "side" },
    { ord: 6, branch_id: "main" },
  ],
  errors: [{ ...at, ord: 8, call_ord: 7 }],
};
const read = (modes: Mode[], branch?: string) => readOrds(outline, { modes, branch });

test("readOrds keeps the user and the final answers with messages only", () => {
  expect(read(["messages"])).toEqual([1, 9]);
  expect(readOrds({ ...outline, kinds: "uauaua" }, { modes: ["messages"], branch: undefined })).toEqual([
    0, 1, 2, 3, 4, 5,
  ]);
});

test("readOrds shows the union of several modes", () => {
  expect(read(["messages", "thoughts"])).toEqual([0, 1, 2, 3, 6, 9]);
  expect(read(["thoughts"])).toEqual([3, 6]);
  expect(read(["tools"])).toEqual([4, 5, 7, 8]);
});

test("readOrds shows a failed call with its result", () => {
  expect(read(["errors"])).toEqual([7, 8]);
  expect(read(["messages", "errors"])).toEqual([0, 1, 2, 6, 7, 8, 9]);
});

test("readOrds shows one branch alone", () => {
  expect(read([], "side")).toEqual([4, 5]);
  expect(read(["tools"], "main")).toEqual([7, 8]);
  expect(read([], "nothing")).toEqual([]);
});

test("toggleMode adds and removes a mode; all modes are none", () => {
  expect(toggleMode([], "tools")).toEqual(["tools"]);
  expect(toggleMode(["tools"], "messages")).toEqual(["messages", "tools"]);
  expect(toggleMode(["messages", "thoughts", "errors"], "tools")).toEqual([]);
  expect(toggleMode(["errors"], "errors")).toEqual([]);
});

test("branchAt and indexAtOrBefore find the last one that is not later", () => {
  expect([0, 3, 4, 9].map((ord) => branchAt(outline.lanes, ord))).toEqual(["main", "main", "side", "main"]);
  expect([-1, 2, 3, 7, 9].map((value) => indexAtOrBefore([2, 5, 7], value))).toEqual([0, 0, 0, 2, 2]);
});
