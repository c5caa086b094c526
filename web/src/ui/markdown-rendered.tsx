// The heavy half of markdown.tsx.
import type { ComponentProps } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import "./highlight.css";

// Colouring a novel of code blocks would stop the page; beyond this it is plain.
const MOST_COLOURED = 60_000;
const schema = {
  ...defaultSchema,
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: [] },
};

function Outside({ href, children }: ComponentProps<"a">) {
  if (!href) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}

function Picture({ src, alt }: ComponentProps<"img">) {
  return <span title={typeof src === "string" ? src : undefined}>[picture{alt ? `: ${alt}` : ""}]</span>;
}

function Table({ children }: ComponentProps<"table">) {
  return (
    // Focusable: a wide table scrolls sideways, with the keyboard too
    <div className="table" tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

const components: Components = { a: Outside, img: Picture, table: Table };

export default function Rendered({ text }: { text: string }) {
  // Sanitised first and coloured then: the colours are ours, and the sanitiser would drop their classes.
  const plugins = text.length < MOST_COLOURED ? [rehypeHighlight] : [];
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[[rehypeSanitize, schema], ...plugins]}
      components={components}
    >
      {text}
    </ReactMarkdown>
  );
}
