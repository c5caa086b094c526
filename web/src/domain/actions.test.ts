import { describe, expect, test } from "vitest";
import { filled, outcomeOf } from "./actions";

const feedback = { name: "feedback", label: "Why", kind: "lines", required: false };
const tokens = { name: "tokens", label: "How many", kind: "number", required: true };

describe("what a person gives", () => {
  test("is left out when it is empty, and missing when it is needed", () => {
    expect(filled([feedback], {})).toEqual({});
    expect(filled([feedback], { feedback: " too slow " })).toEqual({ feedback: "too slow" });
    expect(filled([{ ...feedback, required: true }], { feedback: " " })).toBeNull();
  });

  test("is a number where one is asked for", () => {
    expect(filled([tokens], { tokens: "5000" })).toEqual({ tokens: 5000 });
    for (const wrong of ["", "0", "-1", "many"]) expect(filled([tokens], { tokens: wrong })).toBeNull();
  });
});

describe("how an order went", () => {
  const launch = { exit_code: 0, target: "approve" };

  test("is what it said last", () => {
    expect(outcomeOf({ launch, output: "one\nbuild is approved\n" }, "Done")).toBe("build is approved");
    expect(outcomeOf({ launch: { ...launch, exit_code: null }, output: "" }, "Done")).toBe("Done");
    expect(outcomeOf({}, "Done")).toBe("Done");
  });

  test("is no success because it was answered", () => {
    const refused = { launch: { ...launch, exit_code: 4 }, output: "" };
    expect(() => outcomeOf(refused, "Done")).toThrow("li show approve ended with 4");
    expect(() => outcomeOf({ ...refused, output: "api is merged\n" }, "Done")).toThrow("api is merged");
    expect(() => outcomeOf({ transitions: [] }, "Done")).toThrow("Nothing was marked");
    expect(() => outcomeOf({ over: false, outcome: "not stopped: why" }, "Done")).toThrow("not stopped: why");
    expect(outcomeOf({ transitions: [{}], over: true }, "Done")).toBe("Done");
  });
});
