// What is asked, in full: the command, the diffs, the words of the agent and all other arguments.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Question, question as questionQuery } from "@/api/questions";
import { type Evidence, type FileDiff, readEvidence } from "@/domain/questions/evidence";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import { countChanges } from "@/domain/text/patch";
import { ChangeSums } from "../text/change-sums";
import { CodeBlock } from "../text/code-block";
import { Markdown } from "../text/markdown";
import { Patch } from "../text/patch";
import { SentenceList } from "../text/sentence-list";
import { CheckList } from "./check-list";
import classes from "./evidence.module.css";
import shared from "./question-card.module.css";

const FOLDED_LINES = 12;
const FOLDED_LENGTH = 2000;
// Shorter values stand beside their name.
const SHORT = 90;
const MAX_FILES = 12;

/** The evidence of a question; a list leaves out long evidence, which is then fetched on demand. */
export function useEvidence(question: Question) {
  const whole = useQuery({ ...questionQuery(question.id), enabled: false });
  const evidence = question.evidence_cut ? whole.data?.evidence : question.evidence;
  const parsed = useMemo(() => evidence && readEvidence(evidence, question.title), [evidence, question.title]);
  return { evidence: parsed, isLoading: whole.isFetching, error: whole.error, load: () => void whole.refetch() };
}

interface ViewProps {
  evidence: Evidence;
  title: string;
  /** False where the diff lists the files. */
  hasFiles: boolean;
}

export function EvidenceView({ evidence, title, hasFiles }: ViewProps) {
  const { words, command, lists, checks, files, diffs, fields } = evidence;
  return (
    <>
      {words.map((text) => (
        <Markdown key={text} text={text} />
      ))}
      {command !== undefined && (
        <div>
          <Patch
            lines={command
              .split("\n")
              .map((text, index) => ({ kind: "same", text: `${index === 0 ? "$ " : "  "}${text}` }))}
            label="Command"
            folded={FOLDED_LINES}
            wrap
          />
        </div>
      )}
      {lists.map(({ name, lines }) => (
        <div key={name}>
          <div className={classes.listName}>{name}</div>
          <SentenceList lines={lines} />
        </div>
      ))}
      <CheckList checks={checks} />
      {hasFiles && files.length > 0 && (
        <ul className={classes.files} aria-label="Changed files">
          {files.slice(0, MAX_FILES).map(({ path, added, removed }) => (
            <li key={path}>
              <code>{escapeBidi(path)}</code> <ChangeSums added={added} removed={removed} />
            </li>
          ))}
          {files.length > MAX_FILES && <li>{plural(files.length - MAX_FILES, "more file")}</li>}
        </ul>
      )}
      {diffs.map((diff, index) => (
        <FileDiffView key={index} diff={diff} isNamed={title.includes(diff.path)} />
      ))}
      {fields.length > 0 && (
        <dl className={classes.fields}>
          {fields.map(({ name, text }, index) => (
            <div key={index} data-long={text.length > SHORT || text.includes("\n")}>
              <dt>{name}</dt>
              <dd>
                {text.length > SHORT || text.includes("\n") ? (
                  <CodeBlock text={escapeBidi(text)} label={name} maxLength={FOLDED_LENGTH} />
                ) : (
                  <code>{escapeBidi(text)}</code>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** `isNamed`: the title names the file. */
function FileDiffView({ diff: { path, lines }, isNamed }: { diff: FileDiff; isNamed: boolean }) {
  const { added, removed } = countChanges(lines);
  return (
    <div>
      <div className={classes.diffHeader}>
        {!isNamed && <code>{escapeBidi(path)}</code>}
        <ChangeSums added={added} removed={removed} />
      </div>
      <Patch lines={lines} label={path ? `Diff of ${path}` : "Diff"} path={path} folded={FOLDED_LINES} />
    </div>
  );
}

/** In place of evidence that the list left out. */
export function LoadEvidence({ isLoading, error, load }: Omit<ReturnType<typeof useEvidence>, "evidence">) {
  return (
    <p className={shared.folder}>
      The details are long.{" "}
      <Button variant="default" size="compact-xs" loading={isLoading} onClick={load}>
        Show all
      </Button>
      {error && <span className="error-text"> {error.message}</span>}
    </p>
  );
}
