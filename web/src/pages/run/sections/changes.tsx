// Files that the run changed: a list with sums; each file opens its hunks, each hunk leads to its message.
import { Select, UnstyledButton } from "@mantine/core";
import { IconArrowsMaximize, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import type { Schema } from "@/api/keys";
import { changedFile, runChanges } from "@/api/messages";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { hunkLines } from "@/domain/text/patch";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { withRetry } from "@/ui/routing/retry";
import { ALL_CHANGES } from "@/ui/routing/section-hashes";
import { ChangeSums } from "@/ui/text/change-sums";
import { Patch } from "@/ui/text/patch";
import classes from "./changes.module.css";
import type { SectionProps } from "./sections";
import sections from "./sections.module.css";

/** Loaded when it opens. */
const AllChanges = lazy(withRetry(() => import("./all-changes")));

const SHOWN = 25;
const FOLDED_LINES = 24;

/** After the outline: the messages come first. */
export function useRunChanges({ detail, outline }: Pick<SectionProps, "detail" | "outline">, branch?: string) {
  const running = detail.session.state.group === "running";
  return useQuery({ ...runChanges(detail.session.id, running, branch), enabled: outline !== undefined });
}

export function Changes({ detail, outline, goTo }: SectionProps) {
  const [branch, setBranch] = useState<string | undefined>();
  const [limit, setLimit] = useState(SHOWN);
  const [open, setOpen] = useState<string | undefined>();
  const query = useRunChanges({ detail, outline }, branch);
  const hash = useLocation({ select: (location) => location.hash });
  if (query.error) return <p className="error-text">{query.error.message}</p>;
  if (!query.data) return <LoadingLine label="changes" />;
  const { files, file_count, added, removed, is_partial, failed_calls } = query.data;
  return (
    <>
      {detail.branches.length > 1 && (
        <Select
          size="xs"
          aria-label="Branch"
          placeholder="All branches"
          clearable
          data={detail.branches.map(({ id, name }) => ({ value: id, label: name ?? id.slice(-8) }))}
          value={branch ?? null}
          onChange={(value) => setBranch(value ?? undefined)}
        />
      )}
      {file_count === 0 ? (
        <p className="muted">{branch ? "This branch" : "This run"} changed no file</p>
      ) : (
        <p className={classes.sum}>
          {plural(file_count, "file")} <ChangeSums added={added} removed={removed} partial={is_partial} />
          <TextLink
            to="/runs/$runId"
            params={{ runId: detail.session.id }}
            search
            hash={ALL_CHANGES}
            replace
            className={classes.widen}
          >
            <IconArrowsMaximize size={13} aria-hidden /> Wide view
          </TextLink>
        </p>
      )}
      <ul className="plain-list">
        {files.slice(0, limit).map((file) => (
          <li key={file.path}>
            <UnstyledButton
              className={classes.file}
              aria-expanded={open === file.path}
              title={escapeBidi(file.path)}
              onClick={() => setOpen(open === file.path ? undefined : file.path)}
            >
              <IconChevronRight size={13} data-open={open === file.path} className={classes.chevron} />
              <FilePath path={file.path} />
              {file.kind !== "edited" && <span className="muted">{file.kind === "created" ? "new" : file.kind}</span>}
              <ChangeSums added={file.added} removed={file.removed} partial={file.is_partial} />
            </UnstyledButton>
            {open === file.path && (
              <Hunks runId={detail.session.id} path={file.path} branch={branch} goTo={goTo} folded={FOLDED_LINES} />
            )}
          </li>
        ))}
      </ul>
      {files.length > limit && (
        <UnstyledButton className={sections.moreButton} onClick={() => setLimit(limit + 500)}>
          {plural(files.length - limit, "more file")}
        </UnstyledButton>
      )}
      {hash === ALL_CHANGES && file_count > 0 && (
        <Suspense>
          <AllChanges runId={detail.session.id} changes={query.data} branch={branch} goTo={goTo} />
        </Suspense>
      )}
      {failed_calls > 0 && <p className="muted">{plural(failed_calls, "failed or refused call")} changed nothing</p>}
    </>
  );
}

type RunHunk = Schema<"RunHunkView">;

function groupByCall(hunks: readonly RunHunk[]): Map<number, RunHunk[]> {
  const calls = new Map<number, RunHunk[]>();
  for (const hunk of hunks) calls.set(hunk.ord, [...(calls.get(hunk.ord) ?? []), hunk]);
  return calls;
}

/** The folder may be cut off, the name of the file not. */
export function FilePath({ path }: { path: string }) {
  const shown = escapeBidi(path);
  const start = shown.lastIndexOf("/") + 1;
  return (
    <code className={classes.path}>
      <span>{shown.slice(0, start)}</span>
      <b>{shown.slice(start)}</b>
    </code>
  );
}

export function Hunks(props: {
  runId: string;
  path: string;
  branch?: string | undefined;
  goTo: (ord: number) => void;
  folded: number;
}) {
  const query = useQuery(changedFile(props.runId, props.path, props.branch));
  const hunks = query.data?.hunks;
  // The hunks of one call are one diff.
  const calls = useMemo(() => groupByCall(hunks ?? []), [hunks]);
  if (query.error) return <p className="error-text">{query.error.message}</p>;
  if (!query.data) return <LoadingLine label={props.path} />;
  return (
    <div className={classes.hunks}>
      {calls.size === 0 && <p className="muted">The changed lines are not recorded</p>}
      {[...calls].map(([ord, own]) => (
        <div key={ord}>
          <button type="button" className={sections.ordLink} onClick={() => props.goTo(ord)}>
            #{ord}
          </button>
          <Patch
            lines={hunkLines(own)}
            label={`Diff of ${props.path}, message ${ord}`}
            path={props.path}
            folded={props.folded}
          />
        </div>
      ))}
      {query.data.omitted > 0 && <p className="muted">{plural(query.data.omitted, "more line")} not shown</p>}
    </div>
  );
}
