// Opens the dialog that starts a run, from any page.
import { createStore } from "@/api/store";

/** What the dialog is filled with; a field that is left out is empty. */
export interface NewRun {
  /** What starts: an agent, a playbook, or a show from a template. */
  kind?: "agent" | "playbook" | "show";
  /** The name of the agent, the playbook or the template. */
  target?: string;
  prompt?: string;
  folder?: string;
  model?: string;
  /** The run that is repeated. Without a prompt and a target, they are those of that run. */
  retries?: string;
}

/** The request that the dialog shows; undefined while it is closed. */
export const newRunRequest = createStore<NewRun | undefined>(undefined);

export const openNewRun = (request: NewRun = {}): void => newRunRequest.set(request);
export const closeNewRun = (): void => newRunRequest.set(undefined);
