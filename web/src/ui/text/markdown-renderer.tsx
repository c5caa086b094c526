// The heavy half of markdown.tsx; what colours code is heavier still, and comes when there is code.
import { lazy, memo, Suspense } from "react";
import { withRetry } from "../routing/retry";
import { ParsedMarkdown, toPlainText } from "./markdown-parser";

const HighlightedMarkdown = lazy(withRetry(() => import("./markdown-highlighter")));

// Colouring a novel of code blocks would stop the page; beyond this it is plain.
const MAX_HIGHLIGHTED = 60_000;
const FENCE = /```|~~~/;
// Any sign that could mean something; a line without one is what most messages are, and needs no parser.
const MARKUP = /[\\`*_{}[\]<>#|~!&\n]|:\/\/|www\.|@|^(?: {4}|\t)|^\s*(?:[-+=]|\d+[.)])/;

export default memo(RenderedMarkdown);

function RenderedMarkdown({ text }: { text: string }) {
  if (!MARKUP.test(text)) return <p>{toPlainText(text)}</p>;
  if (!FENCE.test(text) || text.length >= MAX_HIGHLIGHTED) return <ParsedMarkdown text={text} />;
  return (
    <Suspense fallback={<ParsedMarkdown text={text} />}>
      <HighlightedMarkdown text={text} />
    </Suspense>
  );
}
