// The lines of a diff or a command, coloured and verbatim; a long text is folded.
import { UnstyledButton } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { escapeBidi } from "@/domain/text/bidi";
import { plural } from "@/domain/text/format";
import type { PatchLine } from "@/domain/text/patch";
import { withRetry } from "../routing/retry";
import classes from "./patch.module.css";
import type { Token } from "./syntax";

// A longer patch does not scroll well.
export const MAX_PATCH_LINES = 4000;
// Colouring more would block the page.
const MAX_COLOURED = 60_000;

interface PatchProps {
  lines: readonly PatchLine[];
  label: string;
  /** The name of the file, for syntax colours. */
  path?: string;
  /** Lines that are shown at first. */
  folded?: number;
  /** Nothing may hide beyond the right edge. */
  wrap?: boolean;
  /** Lines that the server left out, and the way to get them. */
  omitted?: number;
  loadAll?: () => void;
}

export function Patch({ lines, label, path = "", folded = MAX_PATCH_LINES, wrap = false, ...rest }: PatchProps) {
  const { omitted = 0, loadAll } = rest;
  const [whole, setWhole] = useState(false);
  const isShort = lines.length + omitted <= folded + 2;
  const most = whole || isShort ? MAX_PATCH_LINES : folded;
  const shown = useMemo(() => lines.slice(0, most), [lines, most]);
  const hidden = Math.min(lines.length, MAX_PATCH_LINES) - shown.length + (loadAll ? omitted : 0);
  const coloured = useColours(shown, path);
  const width = numberWidth(lines);
  return (
    <>
      {/* Focusable: long lines scroll sideways, also by keyboard. */}
      <pre className={classes.patch} tabIndex={0} title={label} data-folded={hidden > 0} data-wrap={wrap}>
        {shown.map((line, index) => (
          <span key={index} data-kind={line.kind} data-numbers={width === 0 ? undefined : numbers(line, width)}>
            {coloured?.[index] ? (
              <Coloured mark={line.text.charAt(0)} tokens={coloured[index]} />
            ) : (
              escapeBidi(line.text)
            )}
            {"\n"}
          </span>
        ))}
      </pre>
      {hidden > 0 && (
        <UnstyledButton
          className={classes.showAll}
          onClick={() => {
            setWhole(true);
            loadAll?.();
          }}
        >
          Show {plural(hidden, "more line")}
        </UnstyledButton>
      )}
    </>
  );
}

function Coloured({ mark, tokens }: { mark: string; tokens: Token[] }): ReactNode {
  return (
    <>
      {mark}
      {tokens.map(({ text, className }, index) =>
        className ? (
          <i key={index} className={className}>
            {text}
          </i>
        ) : (
          text
        ),
      )}
    </>
  );
}

function numberWidth(lines: readonly PatchLine[]): number {
  const largest = lines.reduce((most, line) => Math.max(most, line.old ?? 0, line.new ?? 0), 0);
  return largest === 0 ? 0 : String(largest).length;
}

/** Drawn by CSS: numbers are not part of what is copied. */
function numbers(line: PatchLine, width: number): string {
  const column = (value: number | undefined): string => String(value ?? "").padStart(width);
  return `${column(line.old)} ${column(line.new)}`;
}

const CODE: readonly PatchLine["kind"][] = ["add", "remove", "same"];
const load = withRetry(() => import("./syntax"));

/** The tokens of each line of code; the old and the new lines are two texts, because a comment may begin in one. */
function useColours(lines: readonly PatchLine[], path: string): (Token[] | undefined)[] | undefined {
  const [colour, setColour] = useState<typeof import("./syntax").colourLines>();
  const isWanted = path.includes(".") && lines.some(({ kind }) => CODE.includes(kind));
  useEffect(() => {
    let isMounted = true;
    if (isWanted)
      load()
        .then(({ colourLines }) => isMounted && setColour(() => colourLines))
        .catch(() => {}); // without colours it is still readable
    return () => {
      isMounted = false;
    };
  }, [isWanted]);
  return useMemo(() => {
    const length = lines.reduce((sum, { text }) => sum + text.length, 0);
    if (!colour || length > MAX_COLOURED) return undefined;
    const side = (hidden: PatchLine["kind"]) => {
      const indices = lines.flatMap(({ kind }, index) => (CODE.includes(kind) && kind !== hidden ? [index] : []));
      const tokens = colour(
        indices.map((index) => escapeBidi(lines[index]?.text.slice(1) ?? "")),
        path,
      );
      return new Map(indices.map((index, at) => [index, tokens?.[at]]));
    };
    const [old, current] = [side("add"), side("remove")];
    return lines.map(({ kind }, index) => (kind === "remove" ? old : current).get(index));
  }, [colour, lines, path]);
}
