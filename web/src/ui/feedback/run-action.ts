// Actions of a person: every outcome is a notification.
import { notifications } from "@mantine/notifications";
import { createElement } from "react";
import { errorText } from "@/api/errors";
import { CodeSpans } from "../text/code-spans";

/** Runs an action and shows its outcome as a notification; resolves with whether it succeeded. */
export async function runAction(run: () => Promise<string>): Promise<boolean> {
  try {
    notifications.show({ message: withCode(await run()), color: "green", withBorder: true });
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

export function showError(error: unknown): void {
  notifications.show({ message: withCode(errorText(error)), color: "red", withBorder: true, autoClose: 12_000 });
}

const withCode = (text: string) => createElement(CodeSpans, { text });
