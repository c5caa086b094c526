// Characters that would make a text look like another one, as something a reader can see.

// Embeddings, overrides and isolates of direction: what follows them is shown backwards.
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The text with each character that turns its direction named instead: "[U+202E]". */
export function escapeBidi(text: string): string {
  return text.replace(
    BIDI_CONTROLS,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`,
  );
}
