import { type RefObject, useLayoutEffect, useRef } from "react";

/** A ref to the value of the latest render, for callbacks that outlive the render they were created in. */
export function useLatest<T>(value: T): RefObject<T> {
  const ref = useRef(value);
  useLayoutEffect(() => {
    ref.current = value;
  }, [value]);
  return ref;
}
