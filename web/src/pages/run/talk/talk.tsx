// The end of a run: its open questions, the messages to it, and the composer while it takes messages.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { inbox, questionsOf } from "@/api/questions";
import { shownReceipts } from "@/domain/runs/receipts";
import { QuestionList } from "@/ui/questions/question-list";
import type { Detail } from "../transcript/segments";
import type { Cursor } from "../use-cursor";
import { Composer, UnsentDraft } from "./composer";
import { ContinueComposer } from "./continue-composer";
import { Receipts } from "./receipts";
import { Successors } from "./successors";
import classes from "./talk.module.css";

export function Talk({ detail, cursor }: { detail: Detail; cursor: Cursor }) {
  const { session, commands } = detail;
  const isRunning = session.state.group === "running";
  const questionsQuery = useQuery(questionsOf({ session: session.id }));
  const questions = questionsQuery.data?.questions ?? [];
  const inboxQuery = useQuery(inbox(session.id));
  const mail = inboxQuery.data;
  const { queued, add } = useQueuedBefore(mail?.messages ?? []);
  const receipts = shownReceipts(mail?.messages ?? [], queued);
  const canWrite = isRunning && mail !== undefined && mail.deliveries.length > 0;
  // Drawn at once: it would grow under the pointer.
  if (questionsQuery.isPending || inboxQuery.isPending) return null;
  return (
    <Dock>
      <div className={classes.questions}>
        <QuestionList questions={questions} within="run" />
      </div>
      <Receipts receipts={receipts} isRunning={isRunning} goTo={cursor.goTo} />
      {canWrite ? (
        <Composer key={session.id} runId={session.id} deliveries={mail.deliveries} onSent={add} />
      ) : (
        !isRunning && (
          <>
            <Successors detail={detail} />
            {!(commands.resume && commands.target) && <UnsentDraft runId={session.id} />}
            <ContinueComposer key={session.id} detail={detail} />
          </>
        )
      )}
    </Dock>
  );
}

function Dock({ children }: { children: ReactNode }) {
  return (
    <section className={classes.dock} aria-label="Talk to the agent">
      {children}
    </section>
  );
}

/** The messages that were queued while the page was open; the agent may take one before it is seen in the inbox. */
function useQueuedBefore(messages: readonly { id: string; taken_ord: number | null }[]) {
  const [queued, setQueued] = useState<ReadonlySet<string>>(new Set());
  const added = messages.filter(({ id, taken_ord }) => taken_ord === null && !queued.has(id));
  if (added.length > 0) setQueued(new Set([...queued, ...added.map(({ id }) => id)]));
  return { queued, add: (id: string) => setQueued((old) => new Set([...old, id])) };
}
