// Markdown with its blocks of code in colours.
import rehypeHighlight from "rehype-highlight";
import { ParsedMarkdown } from "./markdown-parser";
import "./highlight.css";

// It knows its languages once and for all: made anew for each message, they would cost more than the message.
const highlighter = rehypeHighlight();
const plugins = [() => highlighter];

export default function HighlightedMarkdown({ text }: { text: string }) {
  return <ParsedMarkdown text={text} after={plugins} />;
}
