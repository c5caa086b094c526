// Every tool that failed; a click goes to where it happened.
import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { plural } from "@/domain/text/format";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { Clock } from "../transcript/time-of-day";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const SHOWN = 25;

export function ErrorList({ outline, go }: SectionProps) {
  const [most, setMost] = useState(SHOWN);
  if (!outline) return <LoadingLine what="tool errors" />;
  if (outline.errors.length === 0) return <p className={classes.dim}>No tool failed.</p>;
  return (
    <>
      <ul className={classes.list}>
        {outline.errors.slice(0, most).map(({ ord, tool, text, at }) => (
          <li key={ord}>
            <UnstyledButton className={classes.entry} data-bad onClick={() => go(ord)}>
              <span className={classes.entryHead}>
                <code>{tool ?? "unknown"}</code> <span className={classes.dim}>#{ord}</span> <Clock at={at} />
              </span>
              <span className={classes.two}>{text}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {outline.errors.length > most && (
        <UnstyledButton className={classes.more} onClick={() => setMost(most + 200)}>
          {plural(outline.errors.length - most, "more error")}
        </UnstyledButton>
      )}
    </>
  );
}
