import { useLocalStorage } from "@mantine/hooks";

/** A text that was not sent yet, by the run (and the message) it belongs to. */
export function useDraft(key: string) {
  return useLocalStorage({ key: `lion-draft ${key}`, defaultValue: "", getInitialValueInEffect: false });
}
