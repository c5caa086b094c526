// The diff of a play's branch: a summary of its files, then the patch.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Diff, diff } from "@/api/shows";
import { parsePatch } from "@/domain/shows/patch";
import { Loaded } from "@/ui/feedback/placeholders";
import classes from "./branch-diff.module.css";

// A longer patch does not scroll well.
const MOST_LINES = 4000;

export function BranchDiff(props: { topic: string; name: string; attempt?: number; against?: number }) {
  const query = useQuery(diff(props.topic, props.name, props.attempt, props.against));
  return (
    <Loaded query={query} label="Diff">
      {(data) => (data.patch ? <Patch diff={data} /> : <p className={classes.note}>{data.why ?? "No changes"}</p>)}
    </Loaded>
  );
}

function Patch({ diff }: { diff: Diff }) {
  const lines = useMemo(() => parsePatch(diff.patch), [diff.patch]);
  const cut = !diff.whole || lines.length > MOST_LINES;
  return (
    <div className={classes.diff}>
      <ul className={classes.files}>
        {diff.files.map((file) => (
          <li key={file.path}>
            <code>{file.old_path && file.old_path !== file.path ? `${file.old_path} → ${file.path}` : file.path}</code>
            <span className={classes.additions}>{file.additions === null ? "binary" : `+${file.additions}`}</span>
            {file.deletions !== null && <span className={classes.deletions}>−{file.deletions}</span>}
          </li>
        ))}
      </ul>
      <pre className={classes.patch} tabIndex={0}>
        {lines.slice(0, MOST_LINES).map((line, index) => (
          <span key={index} data-kind={line.kind}>
            {line.text}
            {"\n"}
          </span>
        ))}
      </pre>
      {cut && (
        <p className={classes.note}>
          Truncated. See all of it with{" "}
          <code>
            git diff {diff.base?.slice(0, 12)} {diff.head?.slice(0, 12)}
          </code>
        </p>
      )}
    </div>
  );
}
