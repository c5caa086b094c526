// Where the reader is: the row that keys move, and ways to go to a message. The address always names it.

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { messageOrd } from "@/api/messages";

export interface Cursor {
  /** The ord that the address names. */
  ord: number | undefined;
  /** Go to a message of this run. */
  go: (ord: number) => void;
}

/** `jump` brings a message into view; it is called when the address names another one, and on every `go`. */
export function useCursor(runId: string, jump: (ord: number) => void): Cursor {
  const { m } = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const resolvedOrd = useQuery(messageOrd(runId, typeof m === "string" ? m : "")).data;
  const ord = typeof m === "string" ? resolvedOrd : m;
  const lastOrd = useRef<number | undefined>(undefined);
  const newest = useRef(jump);
  newest.current = jump;
  useEffect(() => {
    if (ord === undefined || ord === lastOrd.current) return;
    lastOrd.current = ord;
    newest.current(ord);
  }, [ord]);
  // Every row holds it, so it stays the same one.
  const go = useCallback(
    (to: number): void => {
      lastOrd.current = to;
      newest.current(to);
      void navigate({ search: (old) => ({ ...old, m: to }), replace: true });
    },
    [navigate],
  );
  return useMemo(() => ({ ord, go }), [ord, go]);
}
