// Whether this browser is signed in, and the secret of its session. The cookie alone is not enough, because a browser sends
// it to every port of this machine; localStorage belongs to this port. Scripts cannot read the cookie, so the page learns
// from a 401 response that its session has ended.
import { createStore } from "../store";

export type SignInState = "signed-in" | "not-signed-in" | "ended" | "link-expired";

const KEY = "lion-session";
const HEADER = "Lion-Session";

export const signInState = createStore<SignInState>("signed-in");

export function sessionHeaders(): Record<string, string> {
  const secret = localStorage.getItem(KEY);
  return secret === null ? {} : { [HEADER]: secret };
}

export function hasSession(): boolean {
  return localStorage.getItem(KEY) !== null;
}

export function storeSecret(secret: string): void {
  localStorage.setItem(KEY, secret);
}

export function forgetSecret(): void {
  localStorage.removeItem(KEY);
}

/** Shows the sign-in page after a 401 response. */
export function rejectSession(): void {
  if (signInState.get() !== "signed-in") return;
  signInState.set(hasSession() ? "ended" : "not-signed-in");
  forgetSecret();
}

/** A sign-in or sign-out in another tab is one of this tab too. */
export function followOtherTabs(): void {
  addEventListener("storage", ({ key, oldValue, newValue }) => {
    if (key === KEY && (oldValue === null) !== (newValue === null)) location.reload();
  });
}
