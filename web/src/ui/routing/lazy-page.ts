// A page whose files are fetched when somebody goes there, and what it means when they cannot be.
import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";

/** What browsers and Vite say when a file of the page did not come. */
const LOAD_FAILURES = [
  "Unable to preload CSS",
  "Failed to fetch dynamically imported module",
  "error loading dynamically imported module",
  "Importing a module script failed",
];

export class ChunkLoadError extends Error {
  override readonly name = "FilesMissing";
}

export function isChunkLoadError(error: unknown): boolean {
  if (error instanceof ChunkLoadError) return true;
  return error instanceof Error && LOAD_FAILURES.some((prefix) => error.message.startsWith(prefix));
}

/** The router reloads the address by itself on such an error; without a server that leaves only the browser's own page. */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): ReturnType<typeof lazyRouteComponent> {
  return lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        if (isChunkLoadError(error)) throw new ChunkLoadError("The files of this page could not be fetched.");
        throw error;
      }),
    name,
  );
}
