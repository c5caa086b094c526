import { expect, test } from "vitest";
import { type Option, optionForKey, outcomeText } from "./outcome";

const allow: Option = { id: "allow", label: "Allow", effect: "allow" };
const deny: Option = { id: "deny", label: "Deny", effect: "deny" };
const red: Option = { id: "1", label: "Red", effect: "reply" };
const asked = {
  kind: "permission",
  status: "answered",
  options: [allow, deny, red],
  answered_by: "ada",
  closed_reason: null,
} as const;

test("outcomeText says who answered what", () => {
  expect(outcomeText({ ...asked, answer: { option: "allow" } })).toBe("Allowed by ada");
  expect(outcomeText({ ...asked, answer: { option: "deny", text: "not on Friday" } })).toBe(
    "Denied by ada: not on Friday",
  );
  expect(outcomeText({ ...asked, answer: { option: "1" } })).toBe("Answered by ada: Red");
  expect(outcomeText({ ...asked, answer: { text: "blue" }, answered_by: null })).toBe("Answered: blue");
});

test("outcomeText names the option of a decision about a show", () => {
  const options: Option[] = [{ id: "approve", label: "Approve", effect: "allow" }];
  const gate = { ...asked, kind: "gate", options } as const;
  expect(outcomeText({ ...gate, answer: { option: "approve" } })).toBe("Approve by ada");
  expect(outcomeText({ ...gate, answer: { option: "approve", text: "well done" } })).toBe("Approve by ada: well done");
  expect(outcomeText({ ...gate, answer: { text: "later" } })).toBe("Answered by ada: later");
});

test("outcomeText says that another answer was first", () => {
  expect(outcomeText({ ...asked, answer: { option: "allow" } }, true)).toBe("ada was first: Allow");
  expect(outcomeText({ ...asked, answer: { text: "blue" } }, true)).toBe("ada was first: blue");
});

test("outcomeText gives the reason of a question that is gone", () => {
  const gone = { ...asked, answer: null, closed_reason: "the run ended" };
  expect(outcomeText({ ...gone, status: "withdrawn" })).toBe("Withdrawn: the run ended");
  expect(outcomeText({ ...gone, status: "expired", closed_reason: null })).toBe("Expired");
});

test("optionForKey finds options by effect and by place", () => {
  expect(optionForKey(asked.options, "a")).toBe(allow);
  expect(optionForKey(asked.options, "d")).toBe(deny);
  expect(optionForKey(asked.options, "3")).toBe(red);
  expect(optionForKey(asked.options, "4")).toBeUndefined();
  expect(optionForKey([red], "a")).toBeUndefined();
});
