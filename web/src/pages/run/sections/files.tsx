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
  const [most, setMost] = useState(SHOWN);
  if (!outline) return <LoadingLine what="files" />;
  return (
    <>
      {outline.files.length === 0 && <p className={classes.dim}>No tool was called with a file.</p>}
      <ul className={classes.list}>
        {outline.files.slice(0, most).map(({ path, calls, tools, last_ord }) => (
          <li key={path}>
            <UnstyledButton className={classes.entry} onClick={() => go(last_ord)} title={path}>
              <code className={classes.path}>{path}</code>
              <span className={classes.dim}>
                {tools.join(", ")} · {plural(calls, "call")}
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {outline.files.length > most && (
        <UnstyledButton className={classes.more} onClick={() => setMost(most + 500)}>
          {plural(outline.files.length - most, "more file")}
        </UnstyledButton>
      )}
      <Left id={detail.session.id} />
    </>
  );
}

function Left({ id }: { id: string }) {
  const found = useQuery(runFiles(id)).data;
  const [open, setOpen] = useState<string | undefined>();
  if (!found || found.files.length === 0) return null;
  return (
    <>
      <h3 className={classes.small}>Left in its folder</h3>
      <ul className={classes.list}>
        {found.files.slice(0, 200).map(({ path, size }) => (
          <li key={path}>
            <UnstyledButton
              className={classes.entry}
              aria-expanded={open === path}
              onClick={() => setOpen(open === path ? undefined : path)}
            >
              <code className={classes.path}>{path}</code>
              <span className={classes.dim}>{bytes(size)}</span>
            </UnstyledButton>
            {open === path && <Content id={id} path={path} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Content({ id, path }: { id: string; path: string }) {
  const found = useQuery({
    queryKey: ["run", id, "file", path],
    queryFn: ({ signal }) =>
      get("/api/sessions/{session_id}/files/content", { path: { session_id: id }, query: { path }, signal }),
  });
  if (found.error) return <p className={classes.dim}>{found.error.message}</p>;
  return found.data ? <CodeBlock text={found.data.text} label={path} ansi /> : <LoadingLine what={path} />;
}
