// Matching messages by run, with a preview of the selected one: at the side on wide screens, else below its row.
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef } from "react";
import { plural } from "@/domain/text/format";
import { EmptyState, ErrorState, LoadingLine } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { TextLink } from "@/ui/link";
import { VirtualList, type VirtualListHandle } from "@/ui/list/virtual-list";
import { Obstacle } from "./mode-select";
import { Preview } from "./preview";
import type { SearchParams } from "./route";
import { linkTo, ResultRow } from "./rows";
import classes from "./search.module.css";
import { type Row, useResults } from "./use-results";

export function Results({ search }: { search: SearchParams }) {
  const { results, rows, runs, total, more, refused } = useResults(search);
  if (!search.q && !search.file) return <Examples />;
  if (results.error && !results.data)
    return (
      <ErrorState
        error={results.error}
        label="Results"
        retry={() => void results.refetch()}
        action={
          search.mode && search.mode !== "words" ? (
            <TextLink to="/search" search={{ ...search, mode: undefined }}>
              Search by keyword instead
            </TextLink>
          ) : undefined
        }
      />
    );
  if (!results.data) return <LoadingLine label="results" />;
  const older = results.hasNextPage && (
    <Button variant="default" loading={results.isFetchingNextPage} onClick={() => void results.fetchNextPage()}>
      Search older messages
    </Button>
  );
  return (
    <>
      {refused && (
        <div className={classes.note} role="note">
          <Obstacle reason={refused.reason} hint={refused.hint} /> These are the results by keyword.
        </div>
      )}
      <div className={classes.count} role="status" data-old={results.isPlaceholderData}>
        {rows.length > 0 &&
          `${total.toLocaleString("en")}${more ? "+" : ""} ${total === 1 && !more ? "message" : "messages"} in ${plural(runs, "run")}${results.hasNextPage ? " so far" : ""}`}
      </div>
      {rows.length === 0 ? (
        <EmptyState title={older ? "No match in the newest messages" : "No messages match"} action={older}>
          Try fewer words, the start of a word (<code>migrat*</code>), or clear the filters.
        </EmptyState>
      ) : (
        <List key={JSON.stringify(search)} rows={rows} search={search} after={older} />
      )}
    </>
  );
}

function List({ rows, search, after }: { rows: Row[]; search: SearchParams; after: ReactNode }) {
  const navigate = useNavigate();
  const handle = useRef<VirtualListHandle>(null);
  const isWide = useMediaQuery("(min-width: 1200px)", undefined, { getInitialValueInEffect: false }) ?? false;
  const terms = `${search.q ?? ""}${search.file ? ` file:"${search.file}"` : ""}`;
  const places = rows.flatMap((row, index) => (row.kind === "run" ? [] : [index]));
  const [at, setAt] = useListKeys({
    count: places.length,
    open: (index) => {
      const row = rows[places[index] ?? -1];
      if (row?.kind === "more") row.open();
      else if (row?.kind === "hit" && row.hit.session_id) void navigate(linkTo(row.hit, terms));
    },
    reveal: (index) => handle.current?.scrollTo(places[index] ?? 0),
  });
  const selected = places[at];
  // On a wide screen the first message is shown before anything is selected.
  const shown = rows[selected ?? (isWide ? (places[0] ?? -1) : -1)];
  const hit = shown?.kind === "hit" ? shown.hit : undefined;
  return (
    <div className={classes.split}>
      <VirtualList
        label="Matching messages"
        handle={handle}
        count={rows.length}
        estimate={(index) => (rows[index]?.kind === "hit" ? 78 : 38)}
        keyOf={(index) => keyOf(rows[index], index)}
        after={after && <div className={classes.older}>{after}</div>}
        render={(index) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <>
              <ResultRow
                row={row}
                terms={terms}
                active={index === selected}
                select={() => setAt(places.indexOf(index))}
                preview={isWide ? undefined : index === selected}
              />
              {!isWide && hit && index === selected && <Preview hit={hit} terms={terms} below />}
            </>
          );
        }}
      />
      {isWide && (
        <aside className={classes.aside} aria-label="Preview">
          {hit ? (
            <Preview hit={hit} terms={terms} />
          ) : (
            <p className={classes.hint}>Select a message to read it here.</p>
          )}
        </aside>
      )}
    </div>
  );
}

const keyOf = (row: Row | undefined, index: number): string | number =>
  row === undefined ? index : row.kind === "hit" ? row.hit.message_id : `${row.kind} ${row.run.session_id}`;

const EXAMPLES: [SearchParams, string][] = [
  [{ q: '"connection refused"' }, "a phrase"],
  [{ q: "migrat*" }, "the start of a word"],
  [{ q: "error role:tool" }, "in the output of tools"],
  [{ q: "file:README.md" }, "which runs touched a file"],
  [{ q: "status:failed timeout" }, "in runs that failed"],
];

function Examples() {
  return (
    <EmptyState title="Search all messages">
      Finds prompts, answers, tool calls and results of every run. All words must be in the message. For example:
      <ul className={classes.examples}>
        {EXAMPLES.map(([search, meaning]) => (
          <li key={search.q}>
            <TextLink to="/search" search={search}>
              <code>{search.q}</code>
            </TextLink>{" "}
            {meaning}
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}
