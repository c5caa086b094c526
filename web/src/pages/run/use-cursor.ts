// The current message: the address names it, keys and links move it.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { messageOrd } from "@/api/messages";
import type { ShowHow } from "./transcript/use-transcript-handle";

export interface Cursor {
  /** The number of the message that the address names. */
  ord: number | undefined;
  goTo: (ord: number, how?: "jump" | "step") => void;
  /** No message is the current one. */
  clear: () => void;
}

/** `show` scrolls to a message; it is called when the address changes and on every `goTo`. */
export function useCursor(runId: string, show: (ord: number, how: ShowHow) => void): Cursor {
  const { m } = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const resolvedOrd = useQuery(messageOrd(runId, typeof m === "string" ? m : "")).data;
  const ord = typeof m === "string" ? resolvedOrd : m;
  const lastOrd = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (ord === undefined || ord === lastOrd.current) return;
    lastOrd.current = ord;
    show(ord, "address");
  }, [ord, show]);
  // Stable, because every row holds it.
  const goTo = useCallback(
    (to: number, how: ShowHow = "jump"): void => {
      lastOrd.current = to;
      void navigate({ search: (old) => ({ ...old, m: to }), hash: true, replace: true });
      show(to, how);
    },
    [navigate, show],
  );
  const clear = useCallback(() => {
    lastOrd.current = undefined;
    void navigate({ search: ({ m: _, ...old }) => old, hash: true, replace: true });
  }, [navigate]);
  return useMemo(() => ({ ord, goTo, clear }), [ord, goTo, clear]);
}
