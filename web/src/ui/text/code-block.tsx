// Code and terminal output, verbatim and truncated when long.
import { UnstyledButton } from "@mantine/core";
import { useMemo, useState } from "react";
import { parseAnsi } from "@/domain/text/ansi";
import { escapeBidi } from "@/domain/text/bidi";
import { bytes } from "@/domain/text/format";
import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button";

const MAX_SHOWN = 12_000;

interface CodeProps {
  text: string;
  /** Terminal output: shows colours, drops other control sequences. */
  ansi?: boolean;
  /** The accessible name. */
  label?: string;
  maxLength?: number;
}

export function CodeBlock({ text, ansi = false, label = "Code", maxLength: most = MAX_SHOWN }: CodeProps) {
  const [whole, setWhole] = useState(false);
  const shown = whole || text.length <= most ? text : text.slice(0, most);
  return (
    <div className={classes.block}>
      <div className={classes.copy}>
        <CopyButton text={text} />
      </div>
      {/* Focusable: long lines scroll sideways, also by keyboard. */}
      <pre className={classes.pre} tabIndex={0} title={label}>
        {ansi ? <AnsiText text={shown} /> : shown}
      </pre>
      {shown.length < text.length && (
        <UnstyledButton className={classes.showAll} onClick={() => setWhole(true)}>
          Show all ({bytes(text.length)})
        </UnstyledButton>
      )}
    </div>
  );
}

export function AnsiText({ text }: { text: string }) {
  const parts = useMemo(() => parseAnsi(escapeBidi(text)), [text]);
  return parts.map((part, index) =>
    part.colour === undefined && !part.bold && !part.dim ? (
      part.text
    ) : (
      <span key={index} className={classes.ansi} data-colour={part.colour} data-bold={part.bold} data-dim={part.dim}>
        {part.text}
      </span>
    ),
  );
}
