// A YAML file with syntax colours, for reading. The text is hostile: the Markdown renderer shows it as one code block.
import { lazy, Suspense } from "react";
import { fenced } from "@/domain/text/fence";
import { withRetry } from "@/ui/routing/retry";
import { CodeBlock } from "@/ui/text/code-block";
import { CopyButton } from "@/ui/text/copy-button";
import classes from "./yaml-text.module.css";

const Highlighted = lazy(withRetry(() => import("@/ui/text/markdown-highlighter")));
// Colouring a longer text would block the page.
const MAX_COLOURED = 60_000;

export function YamlText({ text }: { text: string }) {
  if (text.length > MAX_COLOURED) return <CodeBlock text={text} label="Text" />;
  return (
    <Suspense fallback={<CodeBlock text={text} label="Text" />}>
      {/* Focusable: long lines scroll sideways, also by keyboard. */}
      <section className={classes.yaml} aria-label="Text" tabIndex={0}>
        <div className={classes.copy}>
          <CopyButton text={text} />
        </div>
        <Highlighted text={fenced(text, "yaml")} />
      </section>
    </Suspense>
  );
}
