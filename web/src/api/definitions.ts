// Agents and playbooks: files that people edit, with every version kept.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { get, post, send } from "./client";
import { keys, type Schema } from "./keys";

export type Kind = Schema<"Kind">;
export type Definition = Schema<"Definition">;
export type Detail = Schema<"DefinitionDetail">;
export type Version = Schema<"Version">;
export type TextProblem = Schema<"TextProblem">;

const LISTS = { agent: "/api/agents", playbook: "/api/playbooks" } as const;
const PATH = "/api/definitions/{kind}/{name}";

export const definitions = (kind: Kind) =>
  queryOptions({ queryKey: keys.definitions(kind), queryFn: ({ signal }) => get(LISTS[kind], { signal }) });

export const definition = (kind: Kind, name: string) =>
  queryOptions({
    queryKey: keys.definition(kind, name),
    queryFn: ({ signal }) => get(PATH, { path: { kind, name }, signal }),
  });

export const versions = (kind: Kind, name: string) =>
  queryOptions({
    queryKey: keys.versions(kind, name),
    queryFn: ({ signal }) => get(`${PATH}/versions`, { path: { kind, name }, signal }),
  });

export const version = (kind: Kind, name: string, number: number) =>
  queryOptions({
    queryKey: [...keys.versions(kind, name), number] as const,
    queryFn: ({ signal }) =>
      get(`${PATH}/versions/{version}`, { path: { kind, name, version: number }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The server's answer to a save is the text from now on: one that was asked for before it may not come after it. */
export async function cacheSaved(
  queries: QueryClient,
  kind: Kind,
  name: string,
  detail: Detail,
): Promise<void> {
  const queryKey = keys.definition(kind, name);
  await queries.cancelQueries({ queryKey, exact: true });
  queries.setQueryData(queryKey, detail);
  await queries.invalidateQueries({ queryKey: keys.versions(kind, name) });
}

/** What is wrong with a text that nobody has saved. */
export const validateDefinition = (kind: Kind, name: string, text: string, signal?: AbortSignal) =>
  post(`${PATH}/validate`, { path: { kind, name }, body: { text }, ...(signal ? { signal } : {}) });

/** Save over the text that was read; without an etag it must be a new one. */
export async function saveDefinition(
  kind: Kind,
  name: string,
  text: string,
  message: string,
  etag: string | null,
) {
  const headers: Record<string, string> = etag ? { "If-Match": `"${etag}"` } : { "If-None-Match": "*" };
  const body = { text, ...(message ? { message } : {}) };
  const response = await send("PUT", PATH, { path: { kind, name }, body, headers });
  return (await response.json()) as Detail;
}

export const rollBack = (kind: Kind, name: string, number: number) =>
  post(`${PATH}/rollback`, { path: { kind, name }, body: { version: number } });

export const plugins = () =>
  queryOptions({ queryKey: keys.plugins(), queryFn: ({ signal }) => get("/api/plugins", { signal }) });

export const skills = () =>
  queryOptions({
    queryKey: keys.definitions("skills"),
    queryFn: ({ signal }) => get("/api/skills", { signal }),
  });
