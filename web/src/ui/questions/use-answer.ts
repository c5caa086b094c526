// Answers a question. The first answer wins: when another one was first, the list says whose.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, errorText } from "@/api/errors";
import { keys } from "@/api/keys";
import { answerQuestion, fetchQuestion, type NewAnswer, type Question } from "@/api/questions";
import { isOpen } from "@/domain/questions/outcome";

const CONFLICT = 409;

export function useAnswer(question: Question, onLost: (id: string) => void) {
  const queries = useQueryClient();
  const [sending, setSending] = useState<NewAnswer>();
  const [error, setError] = useState<string>();
  const isBusy = useRef(false);
  const send = async (answer: NewAnswer): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setSending(answer);
    setError(undefined);
    const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: keys.allQuestions() });
    try {
      queries.setQueryData(keys.question(question.id), await answerQuestion(question.id, answer));
      // Busy until the card is gone.
      await refresh();
    } catch (problem) {
      const isConflict = problem instanceof ApiError && problem.status === CONFLICT;
      // Not from the cache, whose requests the change feed repeats.
      const now = isConflict ? await fetchQuestion(question.id).catch(() => null) : null;
      if (now && !isOpen(now)) onLost(question.id);
      else setError(errorText(problem));
      void refresh();
    }
    isBusy.current = false;
    setSending(undefined);
  };
  return { send, sending, error };
}
