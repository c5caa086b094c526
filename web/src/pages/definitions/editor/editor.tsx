// The editor. It validates while the user types, and never overwrites a file that changed on disk.
import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { cacheSaved, type Detail, definition, definitionProblems, saveDefinition } from "@/api/definitions";
import { ApiError } from "@/api/errors";
import { plural } from "@/domain/text/format";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { runAction } from "@/ui/feedback/run-action";
import { ProblemList } from "@/ui/text/problem-list";
import { useKind } from "../kinds";
import { ConflictDialog } from "./conflict-dialog";
import classes from "./editor.module.css";
import { UnsavedGuard } from "./unsaved-guard";

const CodeEditor = lazy(() => import("./code-editor"));
const PAUSE_MS = 300;

export function DefinitionEditor({ detail }: { detail: Detail }) {
  const info = useKind();
  const { name } = detail.definition;
  const queries = useQueryClient();
  const [text, setText] = useState(detail.text ?? "");
  // The version that is being edited. A save sends its etag, and the server rejects it if the file has changed.
  const [base, setBase] = useState({ text: detail.text ?? "", etag: detail.definition.etag ?? null });
  const [message, setMessage] = useState("");
  const [theirs, setTheirs] = useState<Detail>();
  const field = useRef<HTMLInputElement>(null);
  const problems = useProblems(name, text);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const adopt = (saved: Detail): void => {
    setBase({ text: saved.text ?? "", etag: saved.definition.etag ?? null });
    void cacheSaved(queries, info.kind, name, saved);
  };
  const changed = text !== base.text;
  const saveText = async (etag: string | null): Promise<string> => {
    try {
      adopt(await saveDefinition(info.kind, name, text, message.trim(), etag));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error;
      setTheirs(await queries.fetchQuery({ ...definition(info.kind, name), staleTime: 0 }));
      throw new Error("Not saved: the file changed on disk");
    }
    setMessage("");
    setTheirs(undefined);
    return "Saved";
  };
  const saveIfChanged = (): void => {
    if (changed) void runAction(() => saveText(base.etag));
  };
  return (
    <>
      <UnsavedGuard unsaved={changed} />
      <Suspense fallback={<LoadingLine label="editor" />}>
        <CodeEditor
          text={text}
          language={info.language}
          problems={problems}
          label={`Text of ${name}`}
          change={setText}
          save={saveIfChanged}
          leave={() => field.current?.focus()}
        />
      </Suspense>
      <div className={classes.problems} role="status">
        <ProblemList problems={problems} />
      </div>
      <form
        className={classes.footer}
        onSubmit={(event) => {
          event.preventDefault();
          saveIfChanged();
        }}
      >
        <TextInput
          ref={field}
          aria-label="Version message"
          placeholder="Describe the change (optional)"
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        <SaveState changed={changed} errors={errors} />
        <Button variant="default" disabled={!changed} onClick={() => setText(base.text)}>
          Discard changes
        </Button>
        <Button type="submit" disabled={!changed || errors > 0}>
          Save
        </Button>
      </form>
      {theirs && (
        <ConflictDialog
          mine={text}
          theirs={theirs}
          close={() => setTheirs(undefined)}
          keepMine={() => void runAction(() => saveText(theirs.definition.etag ?? null))}
          takeTheirs={() => {
            setText(theirs.text ?? "");
            adopt(theirs);
            setTheirs(undefined);
          }}
        />
      )}
    </>
  );
}

/** The server refuses a text with errors, as the command line does. */
function SaveState({ changed, errors }: { changed: boolean; errors: number }) {
  if (errors > 0) return <span className="error-text">Correct {plural(errors, "error")} to save</span>;
  return <span className="muted">{changed ? "Unsaved changes" : "Saved"}</span>;
}

function useProblems(name: string, text: string) {
  const { kind } = useKind();
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const query = useQuery(definitionProblems(kind, name, settled));
  return query.data?.definition.problems ?? [];
}
