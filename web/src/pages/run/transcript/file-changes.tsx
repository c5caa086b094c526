// The files that a tool call changes, as coloured diffs; long ones are folded.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type CallChanges, callChanges, type Message } from "@/api/messages";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { hunkLines } from "@/domain/text/patch";
import { entryOf } from "@/domain/transcript/message-entry";
import { ChangeSums } from "@/ui/text/change-sums";
import { Patch } from "@/ui/text/patch";
import classes from "./file-changes.module.css";

const FOLDED_LINES = 12;

type FileChange = CallChanges["files"][number];

/** The changes of a call. Its result decides whether they were made, also one that came after the page was read. */
export function changesOf(call: Message, result: Message | undefined): CallChanges | undefined {
  const changes = result?.changes ?? call.changes;
  const entry = result && entryOf(result);
  if (!changes || changes.files.length === 0) return undefined;
  if (changes.outcome !== "pending" || entry?.kind !== "result") return changes;
  return { ...changes, outcome: entry.failed ? "failed" : "applied" };
}

/** True if the diff says all that the result says: "The file … has been updated". */
export function saysItAll({ outcome, files }: CallChanges): boolean {
  return outcome === "applied" && files.every(({ hunks, kind }) => hunks.length > 0 || kind !== "edited");
}

/** "+15 −5" in the head of the call. */
export function CallSums({ changes: { files, outcome } }: { changes: CallChanges }) {
  if (outcome === "failed") return null;
  const sum = (name: "added" | "removed"): number | null =>
    files.some((file) => file[name] !== null) ? files.reduce((total, file) => total + (file[name] ?? 0), 0) : null;
  return <ChangeSums added={sum("added")} removed={sum("removed")} />;
}

interface FileChangesProps {
  runId: string;
  changes: CallChanges;
  /** The text above, which may name the file already. */
  head: string;
}

export function FileChanges({ runId, changes, head }: FileChangesProps) {
  const [isWhole, setWhole] = useState(false);
  const whole = useQuery({ ...callChanges(runId, changes.call_id), enabled: isWhole });
  const { files, omitted_files } = whole.data ?? changes;
  return (
    <div className={classes.changes} data-outcome={changes.outcome}>
      {changes.outcome === "failed" && <div className={classes.note}>Not applied: the call failed or was refused</div>}
      {changes.outcome === "pending" && <div className={classes.note}>Not applied yet</div>}
      {files.map((file, index) => (
        <FileDiff
          key={index}
          file={file}
          isNamed={files.length === 1 && head.includes(file.path)}
          loadAll={() => setWhole(true)}
        />
      ))}
      {omitted_files > 0 && <div className={classes.note}>and {plural(omitted_files, "more file")}</div>}
      {whole.error && <div className="error-text">{whole.error.message}</div>}
    </div>
  );
}

const KINDS: Record<FileChange["kind"], string> = {
  created: "new file",
  edited: "",
  deleted: "deleted",
  renamed: "renamed",
};

function FileDiff({ file, isNamed, loadAll }: { file: FileChange; isNamed: boolean; loadAll: () => void }) {
  const lines = useMemo(() => hunkLines(file.hunks), [file.hunks]);
  const kind = KINDS[file.kind];
  const name = file.old_path === null ? file.path : `${file.old_path} → ${file.path}`;
  return (
    <div className={classes.file}>
      {(!isNamed || kind !== "" || lines.length === 0) && (
        <div className={classes.fileHead}>
          {(!isNamed || file.old_path !== null) && <code>{escapeBidi(name)}</code>}
          {kind !== "" && <span className={classes.kind}>{kind}</span>}
          {(!isNamed || lines.length === 0) && <ChangeSums added={file.added} removed={file.removed} />}
        </div>
      )}
      {lines.length > 0 && (
        <Patch
          lines={lines}
          label={`Diff of ${file.path}`}
          path={file.path}
          folded={FOLDED_LINES}
          omitted={file.omitted}
          {...(file.omitted > 0 ? { loadAll } : {})}
        />
      )}
    </div>
  );
}
