// `_show.md` as it was written, closed until somebody wants to read it.

import { Panel } from "@/ui/page";
import { Markdown } from "@/ui/text/markdown";
import { Fold } from "./play-details";
import classes from "./show.module.css";

export function Plan({ text, error }: { text: string | null; error: string | null }) {
  if (!text) return <p className={classes.dim}>{error ?? "There is no _show.md in its folder."}</p>;
  return (
    <Panel className={classes.plan}>
      <Fold title="_show.md">
        <Markdown text={withoutHead(text)} />
      </Fold>
    </Panel>
  );
}

/** The front matter is data; as code it can be read. */
function withoutHead(text: string): string {
  const found = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(text);
  return found ? `~~~yaml\n${found[1]}\n~~~\n\n${text.slice(found[0].length)}` : text;
}
