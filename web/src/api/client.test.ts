import { afterEach, expect, test, vi } from "vitest";
import { signedIn } from "./auth";
import { buildUrl, get, send } from "./client";
import { ApiError } from "./errors";

const answers = (body: unknown, status: number, type = "application/problem+json") =>
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => new Response(JSON.stringify(body), { status, headers: { "Content-Type": type } })),
  );

afterEach(() => {
  vi.unstubAllGlobals();
  signedIn.set(true);
});

test("names in a path cannot lead out of it, and empty filters are left out", () => {
  expect(buildUrl("/api/runs/{run_id}", { path: { run_id: "../a b?" } })).toBe("/api/runs/..%2Fa%20b%3F");
  expect(buildUrl("/api/runs", { query: { q: "", status: undefined, since: 0 } })).toBe("/api/runs?since=0");
});

test("a refusal is one error with its sentence, and 401 signs out", async () => {
  answers({ status: 401, code: "no_token", detail: "Send the token.", hint: "li studio" }, 401);
  await expect(get("/api/stats")).rejects.toMatchObject({ status: 401, code: "no_token", hint: "li studio" });
  expect(signedIn.get()).toBe(false);
});

test("a body that is no problem, and no answer at all, are errors too", async () => {
  vi.stubGlobal("fetch", async () => new Response("<html>", { status: 502 }));
  await expect(send("GET", "/x")).rejects.toMatchObject({
    status: 502,
    detail: "Studio responded with 502.",
  });
  vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("refused")));
  const error = await send("GET", "/x").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: "unreachable", retryable: true });
});
