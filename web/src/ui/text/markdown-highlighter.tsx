// Markdown with syntax highlighting.
import rehypeHighlight from "rehype-highlight";
import { ParsedMarkdown } from "./markdown-parser";
import "./highlight.css";

// Created once: loading the languages costs more than rendering a message.
const highlighter = rehypeHighlight();
const plugins = [() => highlighter];

export default function HighlightedMarkdown({ text }: { text: string }) {
  return <ParsedMarkdown text={text} after={plugins} />;
}
