// Syntax colours of lines of code by the name of their file. Loaded on demand: the languages are large.
import { common, createLowlight } from "lowlight";
import "./highlight.css";

export interface Token {
  text: string;
  className: string | undefined;
}

const lowlight = createLowlight(common);
const NAMES: Record<string, string> = {
  mjs: "js",
  cjs: "js",
  mts: "ts",
  cts: "ts",
  pyi: "py",
  zsh: "sh",
  lock: "toml",
};

/** The tokens of each line; undefined for a file of an unknown language. */
export function colourLines(lines: readonly string[], path: string): Token[][] | undefined {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  const extension = name.split(".").at(-1) ?? "";
  const language = NAMES[extension] ?? extension;
  if (!lowlight.registered(language)) return undefined;
  const result: Token[][] = [[]];
  collect(lowlight.highlight(language, lines.join("\n")), undefined, result);
  return result;
}

type Tree = ReturnType<typeof lowlight.highlight>;
type Node = Tree | Tree["children"][number];

function collect(node: Node, className: string | undefined, lines: Token[][]): void {
  if (node.type === "text") {
    node.value.split("\n").forEach((text, index) => {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ text, className });
    });
  } else if ("children" in node) {
    const own = node.type === "element" ? classOf(node.properties.className) : className;
    for (const child of node.children) collect(child, own ?? className, lines);
  }
}

function classOf(value: unknown): string | undefined {
  return Array.isArray(value) ? value.join(" ") : undefined;
}
