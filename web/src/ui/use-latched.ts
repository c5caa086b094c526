import { useState } from "react";

/** Whether the condition was true once. A failed query that a new part of the page asks again is pending again. */
export function useLatched(condition: boolean): boolean {
  const [isLatched, setLatched] = useState(condition);
  if (condition && !isLatched) setLatched(true);
  return isLatched || condition;
}
