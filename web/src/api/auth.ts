// Whether this browser is signed in. The cookie is not visible to scripts: a 401 is how the page learns.
import { createStore } from "./store";

export type Access = "in" | "out";

export const access = createStore<Access>("in");
