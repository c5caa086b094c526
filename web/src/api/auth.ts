// Whether this browser is signed in. Scripts cannot read the cookie, so the page learns it from a 401 response.
import { createStore } from "./store";

export const signedIn = createStore(true);
