/** Text of the API, with the commands between backticks as code. */
export function CodeSpans({ text }: { text: string | null | undefined }) {
  return text?.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
