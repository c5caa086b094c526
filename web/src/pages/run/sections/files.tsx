// Files that tools were called with, and files that the agent created.
import { UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { runFile, runFiles } from "@/api/messages";
import { bytes, plural } from "@/domain/text/format";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { CodeBlock } from "@/ui/text/code-block";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const SHOWN = 25;

export function Files({ detail, outline, goTo }: SectionProps) {
  const [limit, setLimit] = useState(SHOWN);
  if (!outline) return <LoadingLine label="files" />;
  return (
    <>
      {outline.files.length === 0 && <p className="muted">No tool was called with a file</p>}
      <ul className="plain-list">
        {outline.files.slice(0, limit).map(({ path, calls, tools, last_ord }) => (
          <li key={path}>
            <UnstyledButton className={classes.entry} onClick={() => goTo(last_ord)} title={path}>
              <code className={classes.path}>{path}</code>
              <span className="muted">
                {tools.join(", ")} · {plural(calls, "call")}
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {outline.files.length > limit && (
        <UnstyledButton className={classes.moreButton} onClick={() => setLimit(limit + 500)}>
          {plural(outline.files.length - limit, "more file")}
        </UnstyledButton>
      )}
      <CreatedFiles id={detail.session.id} />
    </>
  );
}

function CreatedFiles({ id }: { id: string }) {
  const fileQuery = useQuery(runFiles(id)).data;
  const [open, setOpen] = useState<string | undefined>();
  if (!fileQuery || fileQuery.files.length === 0) return null;
  return (
    <>
      <h3 className={classes.subheading}>Files created</h3>
      <ul className="plain-list">
        {fileQuery.files.slice(0, 200).map(({ path, size }) => (
          <li key={path}>
            <UnstyledButton
              className={classes.entry}
              aria-expanded={open === path}
              onClick={() => setOpen(open === path ? undefined : path)}
            >
              <code className={classes.path}>{path}</code>
              <span className="muted">{bytes(size)}</span>
            </UnstyledButton>
            {open === path && <FileContent id={id} path={path} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function FileContent({ id, path }: { id: string; path: string }) {
  const fileQuery = useQuery(runFile(id, path));
  if (fileQuery.error) return <p className="muted">{fileQuery.error.message}</p>;
  return fileQuery.data ? <CodeBlock text={fileQuery.data.text} label={path} ansi /> : <LoadingLine label={path} />;
}
