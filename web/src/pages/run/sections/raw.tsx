// The run as the API gives it, for whoever wants to know exactly.
import { CodeBlock } from "@/ui/text/code-block";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

export function Raw({ detail }: SectionProps) {
  return (
    <details className={classes.raw}>
      <summary>Everything that is stored about this run</summary>
      <CodeBlock text={JSON.stringify(detail, null, 2)} label="The run as JSON" />
    </details>
  );
}
