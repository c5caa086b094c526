import { expect, test } from "vitest";
import { usageOf } from "./usage";

test("usageOf sums what the model read", () => {
  const usage = { input_tokens: 3, cache_read_tokens: 40, cache_write_tokens: 100, output_tokens: 7, cost_microusd: 9 };
  expect(usageOf({ usage })).toEqual({ context: 143, output: 7, costMicrousd: 9 });
  expect(usageOf({ usage: { output_tokens: 7, cost_microusd: null } })).toEqual({
    context: 0,
    output: 7,
    costMicrousd: undefined,
  });
});

test("usageOf ignores what is not a usage", () => {
  expect([undefined, {}, { usage: "x" }, { usage: { input_tokens: "9" } }].map(usageOf)).toEqual(
    Array(4).fill(undefined),
  );
});
