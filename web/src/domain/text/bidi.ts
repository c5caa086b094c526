// Characters that would make a text look like another one, as something a reader can see.

// Embeddings, overrides and isolates of direction: what follows them is shown backwards.
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** The text with each character that turns its direction named instead: "[U+202E]". */
export function visible(text: string): string {
  return text.replace(TURNING, (found) => `[U+${found.charCodeAt(0).toString(16).toUpperCase()}]`);
}
