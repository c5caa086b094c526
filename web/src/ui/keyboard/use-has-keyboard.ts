import { useMediaQuery } from "@mantine/hooks";

/** Whether hints about keys help: false on touch screens and phones. */
export function useHasKeyboard(): boolean {
  return !useMediaQuery("(hover: none), (max-width: 640px)", undefined, { getInitialValueInEffect: false });
}
