// The display name of a run. The API chooses it (name, else show / play, agent, playbook).

export interface NamedRun {
  id: string;
  display_name?: string | null;
}

export function runName(run: NamedRun): string {
  return run.display_name || shortId(run.id);
}

/** A prefix of an id that `li` accepts; it encodes the creation time to the millisecond. */
export function shortId(id: string): string {
  return id.length > 16 ? id.slice(0, 13) : id;
}
