// The files that tools were called with, and those that the run left in its folder.
import { UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "@/api/client";
import { runFiles } from "@/api/messages";
import { bytes, plural } from "@/domain/text/format";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { CodeBlock } from "@/ui/text/code-block";
import type { SectionProps } from "./sections";
import classes from "./sections.module.css";

const SHOWN = 25;

export function Files({ detail, outline, go }: SectionProps) {
  const [limit, setLimit] = useState(SHOWN);
  if (!outline) return <LoadingLine what="files" />;
  return (
    <>
      {outline.files.length === 0 && <p className={classes.muted}>No tool was called with a file.</p>}
      <ul className={classes.list}>
        {outline.files.slice(0, limit).map(({ path, calls, tools, last_ord }) => (
          <li key={path}>
            <UnstyledButton className={classes.entry} onClick={() => go(last_ord)} title={path}>
              <code className={classes.path}>{path}</code>
              <span className={classes.muted}>
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
      <h3 className={classes.subheading}>Left in its folder</h3>
      <ul className={classes.list}>
        {fileQuery.files.slice(0, 200).map(({ path, size }) => (
          <li key={path}>
            <UnstyledButton
              className={classes.entry}
              aria-expanded={open === path}
              onClick={() => setOpen(open === path ? undefined : path)}
            >
              <code className={classes.path}>{path}</code>
              <span className={classes.muted}>{bytes(size)}</span>
            </UnstyledButton>
            {open === path && <FileContent id={id} path={path} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function FileContent({ id, path }: { id: string; path: string }) {
  const fileQuery = useQuery({
    queryKey: ["run", id, "file", path],
    queryFn: ({ signal }) =>
      get("/api/sessions/{session_id}/files/content", { path: { session_id: id }, query: { path }, signal }),
  });
  if (fileQuery.error) return <p className={classes.muted}>{fileQuery.error.message}</p>;
  return fileQuery.data ? (
    <CodeBlock text={fileQuery.data.text} label={path} ansi />
  ) : (
    <LoadingLine what={path} />
  );
}
