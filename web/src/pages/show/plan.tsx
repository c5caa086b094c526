// The plan of a show, `_show.md`.

import { splitFrontMatter } from "@/domain/text/front-matter";
import { Panel } from "@/ui/page";
import { Markdown } from "@/ui/text/markdown";
import { LazyDetails } from "./detail-blocks";
import classes from "./show.module.css";

export function Plan({ text, error }: { text: string | null; error: string | null }) {
  if (!text) return error && <p className="muted">{error}</p>;
  return (
    <Panel className={classes.plan}>
      <LazyDetails title="_show.md">
        <Markdown text={frontMatterAsCode(text)} />
      </LazyDetails>
    </Panel>
  );
}

/** Shows the front matter as a code block. */
function frontMatterAsCode(text: string): string {
  const { head, body } = splitFrontMatter(text);
  return head ? `~~~yaml\n${head}\n~~~\n\n${body}` : text;
}
