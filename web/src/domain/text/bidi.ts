// Makes bidirectional control characters visible, so that text cannot be disguised.

// Embeddings, overrides and isolates: they reverse the text that follows.
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Replaces each control character by its name, such as "[U+202E]". */
export function escapeBidi(text: string): string {
  return text.replace(BIDI_CONTROLS, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`);
}
