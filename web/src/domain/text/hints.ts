// Combines an error message with its hint.

// A hint that is a command, with what to do after it: "li ps, then try again".
const COMMAND = /^((?:li|git|pip|chmod) (?:(?!, )[^`\n])+)(, [^\n]*)?$/;
// A hint that starts with another command must not be capitalised.
const PLAIN_WORD = /^(?!(?:li|git|pip|chmod)\b)[a-z]+(?![\w./=-])/;

/** Adds a full stop unless the text already ends a sentence. */
export function endSentence(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed === "" || /[.!?:;…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** The hint as a sentence; a command in it is between backticks. */
export function capitalizeHint(hint: string): string {
  const [, command, rest = ""] = COMMAND.exec(hint) ?? [];
  if (command) return `Run \`${command}\`${rest}`;
  return hint.replace(PLAIN_WORD, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** "message. Hint" */
export function withHint(message: string, hint: string | null | undefined): string {
  return hint ? `${endSentence(message)} ${capitalizeHint(hint)}` : message;
}
