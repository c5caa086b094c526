// The heavy half of markdown.tsx.
import { type ComponentProps, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { pieces } from "@/domain/ansi";
import { visible } from "@/domain/visible";
import "./highlight.css";

type Head = (props: { children?: ReactNode }) => ReactNode;

// Colouring a novel of code blocks would stop the page; beyond this it is plain.
const MOST_COLOURED = 60_000;
// It knows its languages once and for all: made anew for each message, they would cost more than the message.
const colour = rehypeHighlight();
const colouring = () => colour;
const FENCE = /```|~~~/;
const schema = {
  ...defaultSchema,
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: [] },
};

interface Node {
  type: string;
  children?: Node[];
}

/** HTML is what somebody wrote, so it is shown; the sanitiser alone would drop it without a word. */
function htmlAsText() {
  const walk = (node: Node): void => {
    if (node.type === "html") node.type = "text";
    for (const child of node.children ?? []) walk(child);
  };
  return walk;
}

/** Control sequences of terminals mean nothing here. */
function readable(text: string): string {
  const plain = pieces(text).map((piece) => piece.text);
  return visible(plain.join(""));
}

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

/** A heading of somebody's text is no heading of the page: its outline stays ours. */
function heading(level: number) {
  return ({ children }: { children?: ReactNode }) => <div data-heading={level}>{children}</div>;
}

const [h1, h2, h3, h4, h5, h6] = [1, 2, 3, 4, 5, 6].map(heading) as [Head, Head, Head, Head, Head, Head];
const components: Components = { a: Outside, img: Picture, table: Table, h1, h2, h3, h4, h5, h6 };

// Any sign that could mean something; a line without one is what most messages are, and needs no parser.
const SIGNS = /[\\`*_{}[\]<>#|~!&\n]|:\/\/|www\.|@|^(?: {4}|\t)|^\s*(?:[-+=]|\d+[.)])/;

export default memo(Rendered);

function Rendered({ text }: { text: string }) {
  if (!SIGNS.test(text)) return <p>{readable(text)}</p>;
  // Sanitised first and coloured then: the colours are ours, and the sanitiser would drop their classes.
  const plugins = FENCE.test(text) && text.length < MOST_COLOURED ? [colouring] : [];
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, htmlAsText]}
      rehypePlugins={[[rehypeSanitize, schema], ...plugins]}
      components={components}
    >
      {readable(text)}
    </ReactMarkdown>
  );
}
