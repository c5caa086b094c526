// The lazily loaded part of highlighted-code.tsx.
import { memo, type ReactNode } from "react";
import rehypeHighlight from "rehype-highlight";
import "./highlight.css";

interface HastNode {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: HastNode[];
}

// Created once: loading the languages costs more than highlighting a text.
const highlight = rehypeHighlight({ detect: false }) as unknown as (tree: HastNode, file: object) => void;
const file = { message: () => {} };

export default memo(CodeHighlighter);

function CodeHighlighter({ text, language }: { text: string; language: string }) {
  const code: HastNode = {
    type: "element",
    ...{ tagName: "code" },
    properties: { className: [`language-${language}`] },
    children: [{ type: "text", value: text }],
  };
  const pre = { type: "element", tagName: "pre", properties: {}, children: [code] };
  highlight({ type: "root", children: [pre] }, file);
  return code.children?.map(toReact);
}

function toReact(node: HastNode, index: number): ReactNode {
  if (node.type === "text") return node.value;
  const names = Array.isArray(node.properties?.className) ? node.properties.className.join(" ") : "";
  return (
    <span key={index} className={names}>
      {node.children?.map(toReact)}
    </span>
  );
}
