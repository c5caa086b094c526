// The current message: the address names it, keys and links move it.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { messageOrd } from "@/api/messages";

export interface Cursor {
  /** The number of the message that the address names. */
  ord: number | undefined;
  goTo: (ord: number) => void;
}

/** `show` scrolls to a message; it is called when the address changes and on every `goTo`. */
export function useCursor(runId: string, show: (ord: number) => void): Cursor {
  const { m } = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const resolvedOrd = useQuery(messageOrd(runId, typeof m === "string" ? m : "")).data;
  const ord = typeof m === "string" ? resolvedOrd : m;
  const lastOrd = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (ord === undefined || ord === lastOrd.current) return;
    lastOrd.current = ord;
    show(ord);
  }, [ord, show]);
  // Stable, because every row holds it.
  const goTo = useCallback(
    (to: number): void => {
      lastOrd.current = to;
      show(to);
      void navigate({ search: (old) => ({ ...old, m: to }), replace: true });
    },
    [navigate, show],
  );
  return useMemo(() => ({ ord, goTo }), [ord, goTo]);
}
