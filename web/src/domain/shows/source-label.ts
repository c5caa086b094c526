/** Where the status of a show was read from. */
export function sourceLabel(source: string): string {
  return source === "sqlite" ? "database" : "folder only";
}
