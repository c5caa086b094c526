// Text of agents and files as markdown. It is hostile: HTML is text, links leave without a referrer and only over
// http(s) or mail, pictures from elsewhere become links, and everything passes a sanitiser. Loaded on demand.
import { lazy, Suspense } from "react";
import { withRetry } from "../routing/retry";
import classes from "./markdown.module.css";

const load = () => import("./markdown-renderer");
const RenderedMarkdown = lazy(withRetry(load));

/** Have it there by the time that a text is. */
export function preloadMarkdown(): void {
  load().catch(() => {}); // it is tried again when a text is shown
}

export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <Suspense fallback={<div className={classes.plain}>{text}</div>}>
        <RenderedMarkdown text={text} />
      </Suspense>
    </div>
  );
}
