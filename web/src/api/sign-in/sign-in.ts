// Sign-in by the link of `li studio` or by the token, sign-out, and the browsers that are signed in.
import { queryOptions } from "@tanstack/react-query";
import { get, post, remove } from "../client";
import { keys, type Schema } from "../keys";
import { forgetSecret, hasSession, sessionHeaders, signInState, storeSecret } from "./auth";

export type StudioSession = Schema<"StudioSessionView">;

/** Uses the one-time code of the sign-in link, which is in the fragment: browsers send it to no server. */
export async function signInByLink(): Promise<void> {
  if (location.pathname !== "/login") return;
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  history.replaceState(null, "", "/");
  if (code === null) return;
  try {
    storeSecret((await post("/api/login", { body: { code } })).secret);
  } catch {
    // A link that is opened twice leaves a signed-in browser as it is.
    if (!hasSession()) signInState.set("link-expired");
  }
}

export async function signInByToken(token: string): Promise<void> {
  storeSecret((await post("/api/login", { headers: { Authorization: `Bearer ${token}` } })).secret);
  // Repeats every request that was rejected.
  location.reload();
}

export async function signOut(): Promise<void> {
  const headers = sessionHeaders();
  // First: the other tabs then sign out by themselves, and do not learn from a 401 that their session has ended.
  forgetSecret();
  try {
    await post("/api/logout", { headers });
  } finally {
    // Leaves nothing of what was shown in memory.
    location.replace("/");
  }
}

export const studioSessions = () =>
  queryOptions({
    queryKey: keys.studioSessions(),
    queryFn: ({ signal }) => get("/api/admin/studio-sessions", { signal }),
  });

export const endStudioSession = (id: string) =>
  remove("/api/admin/studio-sessions/{session_id}", { path: { session_id: id } });
