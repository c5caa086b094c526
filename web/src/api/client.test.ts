import { afterEach, expect, test, vi } from "vitest";
import { buildUrl, get, send } from "./client";
import { ApiError } from "./errors";
import { forgetSecret, hasSession, signInState, storeSecret } from "./sign-in/auth";

const answers = (body: unknown, status: number, type = "application/problem+json") =>
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => new Response(JSON.stringify(body), { status, headers: { "Content-Type": type } })),
  );

afterEach(() => {
  vi.unstubAllGlobals();
  signInState.set("signed-in");
  forgetSecret();
});

test("buildUrl escapes path parameters and drops empty filters", () => {
  expect(buildUrl("/api/runs/{run_id}", { path: { run_id: "../a b?" } })).toBe("/api/runs/..%2Fa%20b%3F");
  expect(buildUrl("/api/runs", { query: { q: "", status: undefined, since: 0 } })).toBe("/api/runs?since=0");
});

test("get throws ApiError for a failed response, and 401 signs out", async () => {
  answers({ status: 401, code: "no_token", detail: "Send the token.", hint: "li studio" }, 401);
  await expect(get("/api/stats")).rejects.toMatchObject({ status: 401, code: "no_token", hint: "li studio" });
  expect(signInState.get()).toBe("not-signed-in");
});

test("get sends the secret of the session and forgets it when the session has ended", async () => {
  storeSecret("s3cret");
  answers({ status: 401, code: "no_session", detail: "It has ended." }, 401);
  await expect(get("/api/stats")).rejects.toMatchObject({ code: "no_session" });
  const [, request] = vi.mocked(fetch).mock.calls[0] ?? [];
  expect(request?.headers).toEqual({ "Lion-Session": "s3cret" });
  expect(signInState.get()).toBe("ended");
  expect(hasSession()).toBe(false);
});

test("send throws ApiError for an invalid body and for no response", async () => {
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
