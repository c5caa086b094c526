// Parses Markdown, sanitises it and renders it with our components.
import type { ComponentProps, ReactNode } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { parseAnsi } from "@/domain/text/ansi";
import { escapeBidi } from "@/domain/text/bidi";

type HeadingComponent = (props: { children?: ReactNode }) => ReactNode;

const schema = {
  ...defaultSchema,
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: [] },
};

interface Node {
  type: string;
  children?: Node[];
}

/** Shows HTML as text; the sanitiser alone would drop it silently. */
function htmlAsText() {
  const walk = (node: Node): void => {
    if (node.type === "html") node.type = "text";
    for (const child of node.children ?? []) walk(child);
  };
  return walk;
}

/** Drops terminal control sequences and shows bidirectional ones. */
export function toPlainText(text: string): string {
  const plain = parseAnsi(text).map((piece) => piece.text);
  return escapeBidi(plain.join(""));
}

function ExternalLink({ href, children }: ComponentProps<"a">) {
  if (!href) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}

function ImagePlaceholder({ src, alt }: ComponentProps<"img">) {
  return <span title={typeof src === "string" ? src : undefined}>[image{alt ? `: ${alt}` : ""}]</span>;
}

function Table({ children }: ComponentProps<"table">) {
  return (
    // Focusable: a wide table scrolls sideways, also by keyboard.
    <div className="table" tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

/** Not a real heading: an agent's text must not change the outline of the page. */
function heading(level: number) {
  return ({ children }: { children?: ReactNode }) => <div data-heading={level}>{children}</div>;
}

const [h1, h2, h3, h4, h5, h6] = [1, 2, 3, 4, 5, 6].map(heading) as [
  HeadingComponent,
  HeadingComponent,
  HeadingComponent,
  HeadingComponent,
  HeadingComponent,
  HeadingComponent,
];
const components: Components = {
  a: ExternalLink,
  img: ImagePlaceholder,
  table: Table,
  h1,
  h2,
  h3,
  h4,
  h5,
  h6,
};

/** `after` runs after the sanitiser, which would drop its elements. */
export function ParsedMarkdown({ text, after = [] }: { text: string; after?: NonNullable<Options["rehypePlugins"]> }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, htmlAsText]}
      rehypePlugins={[[rehypeSanitize, schema], ...after]}
      components={components}
    >
      {toPlainText(text)}
    </ReactMarkdown>
  );
}
