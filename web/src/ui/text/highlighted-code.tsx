// Code with syntax colours; plain until the highlighter has loaded. The text is hostile: it only becomes text nodes.
import { lazy, Suspense } from "react";
import { escapeBidi } from "@/domain/text/bidi";
import { withRetry } from "../routing/retry";

const CodeHighlighter = lazy(withRetry(() => import("./code-highlighter")));

export function HighlightedCode({ text, language }: { text: string; language: string }) {
  const shown = escapeBidi(text);
  return (
    <Suspense fallback={shown}>
      <CodeHighlighter text={shown} language={language} />
    </Suspense>
  );
}
