// The diff of a play: a summary of its files, then the patch.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Diff, diff } from "@/api/shows";
import { parsePatch } from "@/domain/text/patch";
import { Loaded } from "../feedback/placeholders";
import { ChangeSums } from "../text/change-sums";
import { MAX_PATCH_LINES, Patch } from "../text/patch";
import classes from "./play-diff.module.css";

export default function PlayDiff(props: {
  topic: string;
  name: string;
  attempt?: number;
  against?: number;
  folded?: number;
}) {
  const query = useQuery(diff(props.topic, props.name, props.attempt, props.against));
  return (
    <Loaded query={query} label="Diff">
      {(data) =>
        data.patch ? (
          <DiffView diff={data} folded={props.folded} />
        ) : (
          <p className={classes.note}>{data.why ?? "No changes"}</p>
        )
      }
    </Loaded>
  );
}

function DiffView({ diff, folded }: { diff: Diff; folded: number | undefined }) {
  const lines = useMemo(() => parsePatch(diff.patch), [diff.patch]);
  const cut = !diff.whole || lines.length > MAX_PATCH_LINES;
  return (
    <div className={classes.diff}>
      <ul className={classes.files}>
        {diff.files.map((file) => (
          <li key={file.path}>
            <code>{file.old_path && file.old_path !== file.path ? `${file.old_path} → ${file.path}` : file.path}</code>
            {file.additions === null ? "binary" : <ChangeSums added={file.additions} removed={file.deletions} />}
          </li>
        ))}
      </ul>
      <Patch lines={lines} label="Diff" {...(folded ? { folded } : {})} />
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
