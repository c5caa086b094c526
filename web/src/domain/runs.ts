// How a run is called. The API says everything else about it.

export interface Named {
  id: string;
  name: string | null;
  show_topic?: string | null;
  show_play_name?: string | null;
  playbook_name?: string | null;
  agent_name?: string | null;
}

/** Show / play, else playbook, else agent, else its own name, else the short id. */
export function runName(run: Named): string {
  if (run.show_topic && run.show_play_name) return `${run.show_topic} / ${run.show_play_name}`;
  return run.playbook_name || run.agent_name || run.name || shortId(run.id);
}

/** Enough of an id to tell it from its neighbours: ids begin with the time, so the end differs first. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(-8) : id;
}
