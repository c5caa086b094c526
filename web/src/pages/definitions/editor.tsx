// The editor: checked while one types, saved with a word about why; a text that changed meanwhile is never overwritten.
import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { check, type Detail, definition, keep, save } from "@/api/definitions";
import { ApiError } from "@/api/errors";
import { told } from "@/ui/feedback/confirm";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { Conflict } from "./conflict-dialog";
import { Problems } from "./definition-view";
import classes from "./editor.module.css";
import { useKind } from "./kinds";
import { Leaving } from "./unsaved-guard";

const CodeEditor = lazy(() => import("./code-editor"));
const PAUSE_MS = 300;

export function Editing({ detail }: { detail: Detail }) {
  const words = useKind();
  const { name } = detail.definition;
  const queries = useQueryClient();
  const [text, setText] = useState(detail.text ?? "");
  // What the text was made from; a save names it, and the server refuses when the file is another one by now.
  const [base, setBase] = useState({ text: detail.text ?? "", etag: detail.definition.etag ?? null });
  const [message, setMessage] = useState("");
  const [theirs, setTheirs] = useState<Detail>();
  const field = useRef<HTMLInputElement>(null);
  const problems = useChecked(name, text);
  const take = (found: Detail): void => {
    setBase({ text: found.text ?? "", etag: found.definition.etag ?? null });
    void keep(queries, words.kind, name, found);
  };
  const changed = text !== base.text;
  const put = async (etag: string | null): Promise<string> => {
    try {
      take(await save(words.kind, name, text, message.trim(), etag));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error;
      setTheirs(await queries.fetchQuery({ ...definition(words.kind, name), staleTime: 0 }));
      return "Changed on disk meanwhile: nothing was saved, look at the difference";
    }
    setMessage("");
    setTheirs(undefined);
    return "Saved";
  };
  const store = (): void => {
    if (changed) void told(() => put(base.etag));
  };
  return (
    <>
      <Leaving unsaved={changed} />
      <Suspense fallback={<LoadingLine what="the editor" />}>
        <CodeEditor
          text={text}
          language={words.language}
          problems={problems}
          label={`Text of ${name}`}
          change={setText}
          save={store}
          leave={() => field.current?.focus()}
        />
      </Suspense>
      <div className={classes.checks} role="status">
        <Problems problems={problems} />
      </div>
      <form
        className={classes.foot}
        onSubmit={(event) => {
          event.preventDefault();
          store();
        }}
      >
        <TextInput
          ref={field}
          aria-label="Why"
          placeholder="Why (kept with the version)"
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        <span className={classes.dim}>{changed ? "not saved yet" : "saved"}</span>
        <Button variant="default" disabled={!changed} onClick={() => setText(base.text)}>
          Undo all
        </Button>
        <Button type="submit" disabled={!changed}>
          Save
        </Button>
      </form>
      {theirs && (
        <Conflict
          mine={text}
          theirs={theirs}
          close={() => setTheirs(undefined)}
          keepMine={() => void told(() => put(theirs.definition.etag ?? null))}
          takeTheirs={() => {
            setText(theirs.text ?? "");
            take(theirs);
            setTheirs(undefined);
          }}
        />
      )}
    </>
  );
}

function useChecked(name: string, text: string) {
  const { kind } = useKind();
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const query = useQuery({
    queryKey: ["definition", kind, name, "checked", settled],
    queryFn: ({ signal }) => check(kind, name, settled, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return query.data?.definition.problems ?? [];
}
