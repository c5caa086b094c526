import { describe, expect, test } from "vitest";
import { parseFields, resultMessage } from "./actions";

const feedback = { name: "feedback", label: "Why", kind: "lines", required: false };
const tokens = { name: "tokens", label: "How many", kind: "number", required: true };

describe("what a person gives", () => {
  test("is left out when it is empty, and missing when it is needed", () => {
    expect(parseFields([feedback], {})).toEqual({});
    expect(parseFields([feedback], { feedback: " too slow " })).toEqual({ feedback: "too slow" });
    expect(parseFields([{ ...feedback, required: true }], { feedback: " " })).toBeNull();
  });

  test("is a number where one is asked for", () => {
    expect(parseFields([tokens], { tokens: "5000" })).toEqual({ tokens: 5000 });
    for (const wrong of ["", "0", "-1", "many"]) expect(parseFields([tokens], { tokens: wrong })).toBeNull();
  });
});

describe("how an order went", () => {
  const launch = { exit_code: 0, target: "approve" };

  test("is what it said last", () => {
    expect(resultMessage({ launch, output: "one\nbuild is approved\n" }, "Done")).toBe("build is approved");
    expect(resultMessage({ launch: { ...launch, exit_code: null }, output: "" }, "Done")).toBe("Done");
    expect(resultMessage({}, "Done")).toBe("Done");
  });

  test("is no success because it was answered", () => {
    const refused = { launch: { ...launch, exit_code: 4 }, output: "" };
    expect(() => resultMessage(refused, "Done")).toThrow("li show approve ended with 4");
    expect(() => resultMessage({ ...refused, output: "api is merged\n" }, "Done")).toThrow("api is merged");
    expect(() => resultMessage({ transitions: [] }, "Done")).toThrow("Nothing was marked");
    expect(() => resultMessage({ over: false, outcome: "not stopped: why" }, "Done")).toThrow(
      "not stopped: why",
    );
    expect(resultMessage({ transitions: [{}], over: true }, "Done")).toBe("Done");
  });
});
