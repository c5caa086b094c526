// The heavy half of markdown.tsx; what colours code is heavier still, and comes when there is code.
import { lazy, memo, Suspense } from "react";
import { patiently } from "../routing/retry";
import { Parsed, readable } from "./markdown-parser";

const Coloured = lazy(patiently(() => import("./markdown-highlighter")));

// Colouring a novel of code blocks would stop the page; beyond this it is plain.
const MOST_COLOURED = 60_000;
const FENCE = /```|~~~/;
// Any sign that could mean something; a line without one is what most messages are, and needs no parser.
const SIGNS = /[\\`*_{}[\]<>#|~!&\n]|:\/\/|www\.|@|^(?: {4}|\t)|^\s*(?:[-+=]|\d+[.)])/;

export default memo(Rendered);

function Rendered({ text }: { text: string }) {
  if (!SIGNS.test(text)) return <p>{readable(text)}</p>;
  if (!FENCE.test(text) || text.length >= MOST_COLOURED) return <Parsed text={text} />;
  return (
    <Suspense fallback={<Parsed text={text} />}>
      <Coloured text={text} />
    </Suspense>
  );
}
