// Combines an error message with its hint.

// A hint that starts with a command must not be capitalised.
const PLAIN_WORD = /^(?!(?:li|git|pip|chmod)\b)[a-z]+(?![\w./=-])/;

/** Adds a full stop unless the text already ends a sentence. */
export function endSentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === "" || /[.!?:;…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

export function capitalizeHint(hint: string): string {
  return hint.replace(PLAIN_WORD, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** "message. Hint" */
export function withHint(message: string, hint: string | null | undefined): string {
  return hint ? `${endSentence(message)} ${capitalizeHint(hint)}` : message;
}
