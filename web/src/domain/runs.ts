// How a run is called: the API says it (show / play, else playbook, agent, name, id).

export interface Named {
  id: string;
  display_name?: string | null;
}

export function runName(run: Named): string {
  return run.display_name || shortId(run.id);
}

/** Enough of an id to tell it from its neighbours: ids begin with the time, so the end differs first. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(-8) : id;
}
