// Rows, failure streaks and folds that the user opened; see `foldKey`.
import { useCallback, useState } from "react";

export function useExpanded() {
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((key: number) => {
    setExpanded((old) => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const open = useCallback((key: number) => setExpanded((old) => new Set(old).add(key)), []);
  return { expanded, toggle, open };
}
