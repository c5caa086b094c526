// The only place that calls fetch for JSON. Paths, parameters and answers are typed by the server's OpenAPI.
import { access } from "./auth";
import { errorOf, unreachable } from "./errors";
import type { paths } from "./schema";

type Method = "get" | "post" | "put" | "delete";
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;
type Part<O, K extends string> = O extends { parameters: { [N in K]?: infer V } } ? NonNullable<V> : never;
type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : never;
type Json<R> = R extends { content: { "application/json": infer J } } ? J : undefined;
type Answer<O> = O extends { responses: infer R } ? Json<R[keyof R & (200 | 201 | 202)]> : never;

type Words = Record<string, string>;
export interface Options<O> {
  path?: Part<O, "path">;
  query?: Part<O, "query">;
  body?: Body<O>;
  headers?: Words;
  signal?: AbortSignal;
}
type Loose = { path?: object; query?: object; body?: unknown; headers?: Words; signal?: AbortSignal };

export function get<P extends PathWith<"get">>(path: P, options: Options<Operation<P, "get">> = {}) {
  return json<Answer<Operation<P, "get">>>("GET", path, options);
}

export function post<P extends PathWith<"post">>(path: P, options: Options<Operation<P, "post">> = {}) {
  return json<Answer<Operation<P, "post">>>("POST", path, options);
}

export function put<P extends PathWith<"put">>(path: P, options: Options<Operation<P, "put">> = {}) {
  return json<Answer<Operation<P, "put">>>("PUT", path, options);
}

export function remove<P extends PathWith<"delete">>(path: P, options: Options<Operation<P, "delete">> = {}) {
  return json<Answer<Operation<P, "delete">>>("DELETE", path, options);
}

async function json<T>(method: string, path: string, options: Loose): Promise<T> {
  const answer = await send(method, path, options);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

/** The answer itself, for whoever needs its headers (an ETag); refusals are thrown as ApiError. */
export async function send(method: string, path: string, options: Loose = {}): Promise<Response> {
  const { body, headers, signal } = options;
  const sent = { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers };
  const text = body === undefined ? null : JSON.stringify(body);
  const request = { method, headers: sent, body: text, signal: signal ?? null };
  const answer = await fetch(addressOf(path, options), request).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw unreachable();
  });
  if (answer.ok) return answer;
  const error = await errorOf(answer);
  if (error.status === 401) access.set("out");
  throw error;
}

/** A path with its names filled in and its query behind it; what is undefined or empty is left out. */
export function addressOf(path: string, { path: names = {}, query = {} }: Loose = {}): string {
  const known = names as Record<string, unknown>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(known[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") search.append(name, String(each));
    }
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}
