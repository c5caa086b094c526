import { describe, expect, test } from "vitest";
import { parseFields, resultMessage } from "./actions";

const feedback = { name: "feedback", label: "Why", kind: "lines", required: false };
const tokens = { name: "tokens", label: "How many", kind: "number", required: true };

describe("parseFields", () => {
  test("omits empty values and rejects missing required ones", () => {
    expect(parseFields([feedback], {})).toEqual({});
    expect(parseFields([feedback], { feedback: " too slow " })).toEqual({ feedback: "too slow" });
    expect(parseFields([{ ...feedback, required: true }], { feedback: " " })).toBeNull();
  });

  test("parses positive numbers", () => {
    expect(parseFields([tokens], { tokens: "5000" })).toEqual({ tokens: 5000 });
    for (const wrong of ["", "0", "-1", "many"]) expect(parseFields([tokens], { tokens: wrong })).toBeNull();
  });
});

describe("resultMessage", () => {
  const launch = { exit_code: 0, target: "approve" };

  test("is the last line of the output", () => {
    expect(resultMessage({ launch, output: "one\nbuild is approved\n" }, "Done")).toBe("build is approved");
    expect(resultMessage({ launch: { ...launch, exit_code: null }, output: "" }, "Done")).toBe("Done");
    expect(resultMessage({}, "Done")).toBe("Done");
  });

  test("throws when a successful response reports a failure", () => {
    const refused = { launch: { ...launch, exit_code: 4 }, output: "" };
    expect(() => resultMessage(refused, "Done")).toThrow("li show approve exited with 4");
    expect(() => resultMessage({ ...refused, output: "api is merged\n" }, "Done")).toThrow("api is merged");
    expect(() => resultMessage({ transitions: [] }, "Done")).toThrow("Not marked");
    expect(() => resultMessage({ over: false, outcome: "not stopped: why" }, "Done")).toThrow("not stopped: why");
    expect(resultMessage({ transitions: [{}], over: true }, "Done")).toBe("Done");
  });
});
