import { escapeBidi } from "@/domain/text/bidi";

/** Text of the API, with the commands between backticks as code. */
export function CodeSpans({ text }: { text: string | null | undefined }) {
  const parts = escapeBidi(text ?? "").split(/`([^`\n]+)`/);
  return parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
