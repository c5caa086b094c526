// What the runs before and after a run are called.
export const RELATIONS: Record<string, string> = {
  continues: "Continues",
  retries: "Repeats",
  forked_from: "Forked from",
  continued: "Continued in",
  retried: "Run again as",
  forked: "Forked in",
};

/** A run without a name is called by the end of its id. */
export function relatedName({ id, name }: { id: string; name: string | null }): string {
  return name ?? id.slice(-8);
}
