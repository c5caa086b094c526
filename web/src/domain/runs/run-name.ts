// How a run is called: the API says it (show / play, else name, playbook, agent, id).

export interface NamedRun {
  id: string;
  display_name?: string | null;
}

export function runName(run: NamedRun): string {
  return run.display_name || shortId(run.id);
}

/** Enough of an id for `li`, which takes the beginning of one: the moment it was made, to the millisecond. */
export function shortId(id: string): string {
  return id.length > 16 ? id.slice(0, 13) : id;
}
