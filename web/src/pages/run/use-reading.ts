// The part of the transcript that is shown: the address has the reading modes and the branch.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { MODES, type Mode, type Reading, toggleMode } from "@/domain/transcript/reading";

export interface ReadingControl extends Reading {
  toggle: (mode: Mode) => void;
  /** Shows one branch alone; a second time, or undefined, all of them. */
  setBranch: (branch: string | undefined) => void;
  clear: () => void;
}

export function useReading(): ReadingControl {
  const { show = "", branch } = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const modes = useMemo(() => MODES.filter((mode) => show.split(",").includes(mode)), [show]);
  const change = useCallback(
    ({ modes, branch }: Reading): void => {
      const next = { ...(modes.length > 0 ? { show: modes.join() } : {}), ...(branch ? { branch } : {}) };
      void navigate({ search: ({ show: _, branch: __, ...old }) => ({ ...old, ...next }), hash: true, replace: true });
    },
    [navigate],
  );
  const setBranch = useCallback(
    (next: string | undefined) => change({ modes, branch: next === branch ? undefined : next }),
    [change, modes, branch],
  );
  const clear = useCallback(() => change({ modes: [], branch: undefined }), [change]);
  return useMemo(
    () => ({ modes, branch, toggle: (mode) => change({ modes: toggleMode(modes, mode), branch }), setBranch, clear }),
    [modes, branch, change, setBranch, clear],
  );
}
