// Markdown with its blocks of code in colours.
import rehypeHighlight from "rehype-highlight";
import { Parsed } from "./markdown-parser";
import "./highlight.css";

// It knows its languages once and for all: made anew for each message, they would cost more than the message.
const colour = rehypeHighlight();
const colouring = [() => colour];

export default function Coloured({ text }: { text: string }) {
  return <Parsed text={text} after={colouring} />;
}
