// The API response of the run.
import { CodeBlock } from "@/ui/text/code-block";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

export function Raw({ detail }: SectionProps) {
  return (
    <details className={classes.raw}>
      <summary>All stored data of this run</summary>
      <CodeBlock text={JSON.stringify(detail, null, 2)} label="Run as JSON" />
    </details>
  );
}
