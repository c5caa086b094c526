// The HTTP client. The OpenAPI types of the server check paths, parameters and responses.

import { toApiError, unreachableError } from "./errors";
import type { paths } from "./schema";
import { rejectSession, sessionHeaders } from "./sign-in/auth";

type Method = "get" | "post" | "put" | "delete";
type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;
type Part<O, K extends string> = O extends { parameters: { [N in K]?: infer V } } ? NonNullable<V> : never;
type JsonBody<R> = R extends { content: { "application/json": infer B } } ? NonNullable<B> : never;
type Body<O> = O extends { requestBody?: infer R } ? JsonBody<NonNullable<R>> : never;
type Json<R> = R extends { content: { "application/json": infer J } } ? J : undefined;
type ResponseBody<O> = O extends { responses: infer R } ? Json<R[keyof R & (200 | 201 | 202)]> : never;

type HeaderMap = Record<string, string>;
export interface Options<O> {
  path?: Part<O, "path">;
  query?: Part<O, "query">;
  body?: Body<O>;
  headers?: HeaderMap;
  signal?: AbortSignal;
}
type RequestOptions = {
  path?: object;
  query?: object;
  body?: unknown;
  headers?: HeaderMap;
  signal?: AbortSignal;
};

export function get<P extends PathWith<"get">>(path: P, options: Options<Operation<P, "get">> = {}) {
  return requestJson<ResponseBody<Operation<P, "get">>>("GET", path, options);
}

export function post<P extends PathWith<"post">>(path: P, options: Options<Operation<P, "post">> = {}) {
  return requestJson<ResponseBody<Operation<P, "post">>>("POST", path, options);
}

export function put<P extends PathWith<"put">>(path: P, options: Options<Operation<P, "put">> = {}) {
  return requestJson<ResponseBody<Operation<P, "put">>>("PUT", path, options);
}

export function remove<P extends PathWith<"delete">>(path: P, options: Options<Operation<P, "delete">> = {}) {
  return requestJson<ResponseBody<Operation<P, "delete">>>("DELETE", path, options);
}

async function requestJson<T>(method: string, path: string, options: RequestOptions): Promise<T> {
  const response = await send(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Sends a request and returns the raw response, for callers that need its headers; a failed response throws ApiError. */
export async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  const { body, headers, signal } = options;
  const contentType: HeaderMap = body === undefined ? {} : { "Content-Type": "application/json" };
  const allHeaders = { ...contentType, ...sessionHeaders(), ...headers };
  const text = body === undefined ? null : JSON.stringify(body);
  const request = { method, headers: allHeaders, body: text, signal: signal ?? null };
  const response = await fetch(buildUrl(path, options), request).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw unreachableError();
  });
  if (response.ok) return response;
  const error = await toApiError(response);
  if (error.status === 401 && path !== "/api/login") rejectSession();
  throw error;
}

/** Fills in the path parameters and appends the query; leaves out undefined and empty values. */
export function buildUrl(path: string, { path: names = {}, query = {} }: RequestOptions = {}): string {
  const values = names as Record<string, unknown>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== "") search.append(name, String(item));
    }
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}
