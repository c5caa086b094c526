// The changes of a run over the whole window: the files beside the diffs.
import { Modal, UnstyledButton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schema } from "@/api/keys";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { ChangeSums } from "@/ui/text/change-sums";
import classes from "./all-changes.module.css";
import { FilePath, Hunks } from "./changes";

// A longer diff is folded.
const FOLDED_LINES = 400;

interface AllChangesProps {
  runId: string;
  changes: Schema<"RunChanges">;
  branch: string | undefined;
  goTo: (ord: number) => void;
}

export default function AllChanges({ runId, changes, branch, goTo }: AllChangesProps) {
  const navigate = useNavigate({ from: "/runs/$runId" });
  const { files, file_count, added, removed, is_partial } = changes;
  const [path, setPath] = useState(files[0]?.path ?? "");
  const close = (): void => void navigate({ search: true, hash: "changes", replace: true });
  const leave = (ord: number): void => {
    close();
    goTo(ord);
  };
  return (
    <Modal
      opened
      fullScreen
      onClose={close}
      title={
        <span className={classes.title}>
          Changes · {plural(file_count, "file")} <ChangeSums added={added} removed={removed} partial={is_partial} />
        </span>
      }
    >
      <div className={classes.columns}>
        <nav className={classes.files} aria-label="Changed files">
          {files.map((file) => (
            <UnstyledButton
              key={file.path}
              className={classes.file}
              aria-current={file.path === path}
              title={escapeBidi(file.path)}
              onClick={() => setPath(file.path)}
            >
              <FilePath path={file.path} />
              <ChangeSums added={file.added} removed={file.removed} partial={file.is_partial} />
            </UnstyledButton>
          ))}
        </nav>
        <section key={path} className={classes.diff} aria-label={`Changes of ${escapeBidi(path)}`}>
          <Hunks runId={runId} path={path} branch={branch} goTo={leave} folded={FOLDED_LINES} />
        </section>
      </div>
    </Modal>
  );
}
