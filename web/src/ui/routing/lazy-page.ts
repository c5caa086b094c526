// Pages whose code loads on navigation, and the error when it cannot be loaded.
import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";

/** Messages of browsers and Vite when a module or stylesheet fails to load. */
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

/** Wraps the error, because the router reloads the page on the original one, which fails while the server is down. */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): ReturnType<typeof lazyRouteComponent> {
  return lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        if (isChunkLoadError(error)) throw new ChunkLoadError("The code of this page could not be loaded.");
        throw error;
      }),
    name,
  );
}
