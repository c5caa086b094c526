// The tool that a run was imported from; a run that we recorded says nothing.
import { IconDatabaseImport, IconTerminal2 } from "@tabler/icons-react";
import type { Run } from "@/api/runs";
import classes from "./source-name.module.css";

const OF_OURS = ["imported_fs", "imported_db"];

export function SourceName({ run }: { run: Pick<Run, "source_kind" | "source_name"> }) {
  if (!run.source_kind || run.source_kind === "live") return null;
  const Icon = OF_OURS.includes(run.source_kind) ? IconDatabaseImport : IconTerminal2;
  return (
    <span className={classes.source}>
      <Icon size={12} stroke={1.8} aria-hidden />
      <span className={classes.name}>{run.source_name}</span>
    </span>
  );
}
