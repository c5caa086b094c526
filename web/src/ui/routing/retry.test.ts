import { expect, test } from "vitest";
import { withRetry } from "./retry";

test("withRetry retries until the load succeeds", async () => {
  let tries = 0;
  const load = async (): Promise<string> => {
    tries += 1;
    if (tries < 3) throw new Error("away");
    return "here";
  };
  expect(await withRetry(load, 1)()).toBe("here");
  expect(tries).toBe(3);
});
