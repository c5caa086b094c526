// What happened and what to do about it, as two sentences.

// A hint may begin with something to type, which is typed as it stands.
const PLAIN_WORD = /^(?!(?:li|git|pip|chmod)\b)[a-z]+(?![\w./=-])/;

/** The text with an end: a full stop, unless it has one of its own. */
export function endSentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === "" || /[.!?:;…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** A hint as a sentence of its own. */
export function capitalizeHint(hint: string): string {
  return hint.replace(PLAIN_WORD, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** "what happened. What to do" */
export function withHint(message: string, hint: string | null | undefined): string {
  return hint ? `${endSentence(message)} ${capitalizeHint(hint)}` : message;
}
