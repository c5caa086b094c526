// Agents and playbooks: editable files with a version history.
import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { get, post, remove, send } from "./client";
import { keys, type Schema } from "./keys";

export type Kind = Schema<"Kind">;
export type Definition = Schema<"DefinitionView">;
export type Detail = Schema<"DefinitionDetail">;
export type Version = Schema<"VersionView">;
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
    queryKey: keys.version(kind, name, number),
    queryFn: ({ signal }) => get(`${PATH}/versions/{version}`, { path: { kind, name, version: number }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Caches the response to a save; a request that is already under way must not overwrite it with the old text. */
export async function cacheSaved(queries: QueryClient, kind: Kind, name: string, detail: Detail): Promise<void> {
  const queryKey = keys.definition(kind, name);
  await queries.cancelQueries({ queryKey, exact: true });
  queries.setQueryData(queryKey, detail);
  await queries.invalidateQueries({ queryKey: keys.versions(kind, name) });
}

/** Problems of an unsaved text. */
export const definitionProblems = (kind: Kind, name: string, text: string) =>
  queryOptions({
    queryKey: keys.definitionProblems(kind, name, text),
    queryFn: ({ signal }) => post(`${PATH}/validate`, { path: { kind, name }, body: { text }, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

/** Saves over the version with this etag; without an etag it creates the file. */
export async function saveDefinition(kind: Kind, name: string, text: string, message: string, etag: string | null) {
  const headers: Record<string, string> = etag ? { "If-Match": `"${etag}"` } : { "If-None-Match": "*" };
  const body = { text, ...(message ? { message } : {}) };
  const response = await send("PUT", PATH, { path: { kind, name }, body, headers });
  return (await response.json()) as Detail;
}

/** Deletes the file with this etag; its versions stay. */
export const deleteDefinition = (kind: Kind, name: string, etag: string) =>
  remove(PATH, { path: { kind, name }, headers: { "If-Match": `"${etag}"` } });

export const rollBack = (kind: Kind, name: string, number: number) =>
  post(`${PATH}/rollback`, { path: { kind, name }, body: { version: number } });

export const plugins = () =>
  queryOptions({ queryKey: keys.plugins(), queryFn: ({ signal }) => get("/api/plugins", { signal }) });

export const plugin = (id: string) =>
  queryOptions({
    queryKey: keys.plugin(id),
    queryFn: ({ signal }) => get("/api/plugins/{plugin_id}", { path: { plugin_id: id }, signal }),
  });

export const skills = () =>
  queryOptions({
    queryKey: keys.definitions("skills"),
    queryFn: ({ signal }) => get("/api/skills", { signal }),
  });
