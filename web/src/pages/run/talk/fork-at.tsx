// Fork from a message: a composer below it.
import { createStore, useStore } from "@/api/store";
import type { Detail } from "../transcript/segments";
import classes from "./fork-at.module.css";
import { NoComposer, PromptBox } from "./prompt-box";

/** The message whose fork is being written, if any. */
export const forkPoint = createStore<{ runId: string; ord: number } | undefined>(undefined);

const closeFork = (): void => forkPoint.set(undefined);

interface ForkComposerProps {
  detail: Detail;
  /** The messages that the row shows. */
  ords: readonly number[];
}

export function ForkComposer({ detail: { session, commands }, ords }: ForkComposerProps) {
  const point = useStore(forkPoint);
  if (point?.runId !== session.id || !ords.includes(point.ord)) return null;
  return (
    <section className={classes.composer} aria-label="Fork">
      {commands.target ? (
        <PromptBox
          origin={session.id}
          target={commands.target}
          options={{ fork: `${session.id}:${point.ord}`, ...(session.cwd ? { cwd: session.cwd } : {}) }}
          draftKey={`${session.id}:${point.ord}`}
          label={`Fork after message ${point.ord}`}
          placeholder="Say something else from here…"
          button="Fork"
          effect={`Starts a conversation of its own with messages 0 to ${point.ord}.`}
          autoFocus
          cancel={closeFork}
        />
      ) : (
        <NoComposer verb="forked" reason={commands.no_resume_reason} />
      )}
    </section>
  );
}
