// Questions that wait for a person, their answers, and messages to running agents.
import { queryOptions } from "@tanstack/react-query";
import { get, post } from "./client";
import { keys, type Schema } from "./keys";

export type Question = Schema<"QuestionView">;
export type NewAnswer = Schema<"NewAnswer">;
export type Receipt = Schema<"ReceiptView">;
export type Delivery = Schema<"SessionInbox">["deliveries"][number];

export const openQuestions = () =>
  queryOptions({ queryKey: keys.questions(), queryFn: ({ signal }) => get("/api/questions", { signal }) });

/** The open questions of a run, or of a show and its plays. */
export const questionsOf = (about: { session: string } | { show: string }) =>
  queryOptions({
    queryKey: keys.questionsOf(about),
    queryFn: ({ signal }) => get("/api/questions", { query: about, signal }),
  });

export const fetchQuestion = async (id: string, signal?: AbortSignal): Promise<Question> => {
  const options = { path: { question_id: id }, ...(signal ? { signal } : {}) };
  return (await get("/api/questions/{question_id}", options)).question;
};

/** All questions of a run in their order: open, answered, withdrawn. */
export const allQuestionsOf = (session: string) =>
  queryOptions({
    queryKey: keys.questionsOf({ session, status: "all" }),
    queryFn: ({ signal }) => get("/api/questions", { query: { session, status: "all", limit: 1000 }, signal }),
  });

/** One question with all of its evidence, in any status. */
export const question = (id: string) =>
  queryOptions({ queryKey: keys.question(id), queryFn: ({ signal }) => fetchQuestion(id, signal) });

export const answerQuestion = async (id: string, body: NewAnswer): Promise<Question> =>
  (await post("/api/questions/{question_id}/answer", { path: { question_id: id }, body })).question;

export const markShown = (ids: string[]) => post("/api/questions/shown", { body: { ids } });

/** The messages to a session with their receipts, and the ways to write to it now. */
export const inbox = (id: string) =>
  queryOptions({
    queryKey: keys.inbox(id),
    queryFn: ({ signal }) => get("/api/sessions/{session_id}/inbox", { path: { session_id: id }, signal }),
  });

export const sendToAgent = async (id: string, text: string, delivery: Delivery): Promise<Receipt> =>
  (await post("/api/sessions/{session_id}/inbox", { path: { session_id: id }, body: { text, delivery } })).message;
