// Markdown of agents and files. The text is hostile: HTML is shown as text, links allow only http(s) and mail and send no
// referrer, images become placeholders, and everything passes a sanitiser. Loaded on demand.
import { lazy, Suspense } from "react";
import { withRetry } from "../routing/retry";
import classes from "./markdown.module.css";

const load = () => import("./markdown-renderer");
const RenderedMarkdown = lazy(withRetry(load));

/** Starts loading the renderer before the first text needs it. */
export function preloadMarkdown(): void {
  load().catch(() => {}); // retried when a text is shown
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
