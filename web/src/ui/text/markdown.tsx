// Markdown of agents and files. The text is hostile: HTML is shown as text, links allow only http(s) and mail and send no
// referrer, images become placeholders, and everything passes a sanitiser. Loaded on demand.
import { type ComponentType, lazy, Suspense, useState } from "react";
import { withRetry } from "../routing/retry";
import classes from "./markdown.module.css";

let loaded: ComponentType<{ text: string }> | undefined;

async function load() {
  const module = await import("./markdown-renderer");
  loaded = module.default;
  return module;
}

const LazyMarkdown = lazy(withRetry(load));

/** Loads the renderer before the first text needs it: a text that is plain at first changes its height. */
export async function preloadMarkdown(): Promise<void> {
  await load().catch(() => {}); // retried when a text is shown
}

export function Markdown({ text }: { text: string }) {
  // Chosen once: another component would render the text anew.
  const [RenderedMarkdown] = useState(() => loaded ?? LazyMarkdown);
  return (
    <div className={classes.markdown}>
      <Suspense fallback={<div className={classes.plain}>{text}</div>}>
        <RenderedMarkdown text={text} />
      </Suspense>
    </div>
  );
}
