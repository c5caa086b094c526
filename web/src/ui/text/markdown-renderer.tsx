// The lazily loaded part of markdown.tsx. The highlighter is larger still and loads when there is code.
import { lazy, memo, Suspense } from "react";
import { withRetry } from "../routing/retry";
import { ParsedMarkdown, toPlainText } from "./markdown-parser";

const HighlightedMarkdown = lazy(withRetry(() => import("./markdown-highlighter")));

// Highlighting a longer text would block the page.
const MAX_HIGHLIGHTED = 60_000;
const FENCE = /```|~~~/;
// Any markup. Most messages have none and need no parser.
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
