// Failed tool calls; click to go to one.
import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { plural } from "@/domain/text/format";
import { errorOrd } from "@/domain/transcript/outline";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { TimeOfDay } from "../transcript/time-of-day";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const SHOWN = 25;

export function ToolErrors({ outline, goTo }: SectionProps) {
  const [limit, setLimit] = useState(SHOWN);
  if (!outline) return <LoadingLine label="tool errors" />;
  if (outline.errors.length === 0) return <p className="muted">No tool errors</p>;
  return (
    <>
      <ul className="plain-list">
        {outline.errors.slice(0, limit).map((error) => {
          const ord = errorOrd(error);
          const { tool, text, at } = error;
          return (
            <li key={error.ord}>
              <UnstyledButton className={classes.entry} data-bad onClick={() => goTo(ord)}>
                <span className={classes.entryHeader}>
                  <code>{tool ?? "unknown"}</code> <span className="muted">#{ord}</span> <TimeOfDay at={at} />
                </span>
                <span className={classes.twoLines}>{text}</span>
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
      {outline.errors.length > limit && (
        <UnstyledButton className={classes.moreButton} onClick={() => setLimit(limit + 200)}>
          {plural(outline.errors.length - limit, "more error")}
        </UnstyledButton>
      )}
    </>
  );
}
