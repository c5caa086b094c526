// The Studio log: newest first, filtered by level and text; a line opens to its raw record.
import { SegmentedControl, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { logs } from "@/api/admin";
import type { Schema } from "@/api/keys";
import { escapeBidi } from "@/domain/text/bidi";
import { Loaded } from "@/ui/feedback/placeholders";
import { Panel, Section } from "@/ui/page";
import classes from "./log.module.css";

type Entry = Schema<"LogEntry">;
type Level = "all" | "warning" | "error";
const RANKS: Record<Entry["level"], number> = { info: 0, warning: 1, error: 2 };
const LEAST: Record<Level, number> = { all: 0, warning: 1, error: 2 };

export function LogSection() {
  const query = useQuery(logs());
  const [level, setLevel] = useState<Level>("all");
  const [text, setText] = useState("");
  const matches = (entry: Entry): boolean =>
    RANKS[entry.level] >= LEAST[level] && entry.raw.toLowerCase().includes(text.trim().toLowerCase());
  return (
    <Section title="Log" id="log">
      <div className={classes.filters}>
        <SegmentedControl
          size="xs"
          aria-label="Level"
          value={level}
          onChange={(value) => setLevel(value as Level)}
          data={[
            { value: "all", label: "All" },
            { value: "warning", label: "Warnings" },
            { value: "error", label: "Errors" },
          ]}
        />
        <TextInput
          size="xs"
          aria-label="Filter the log"
          placeholder="Filter the log…"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Loaded query={query} label="Log">
        {(data) => {
          const entries = data.entries.filter(matches);
          if (entries.length === 0)
            return <p className="muted">{data.entries.length === 0 ? "The log is empty" : "No lines match"}</p>;
          return (
            <Panel>
              {/* Focusable: it scrolls, also by keyboard. */}
              <section className={classes.scroll} tabIndex={0} aria-label="Log lines">
                <ul className={classes.entries}>
                  {keyed(entries)
                    .reverse()
                    .map(([key, entry]) => (
                      <li key={key}>
                        <LogLine entry={entry} />
                      </li>
                    ))}
                </ul>
              </section>
            </Panel>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Entries with a key each; equal lines are numbered, so that an opened line stays open when others arrive. */
function keyed(entries: Entry[]): [string, Entry][] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const count = (seen.get(entry.raw) ?? 0) + 1;
    seen.set(entry.raw, count);
    return [`${count} ${entry.raw}`, entry];
  });
}

function LogLine({ entry }: { entry: Entry }) {
  return (
    <details className={classes.entry}>
      <summary>
        <time>{entry.at === null ? "–" : new Date(entry.at * 1000).toLocaleString()}</time>
        <span className={classes.level} data-level={entry.level}>
          {entry.level}
        </span>
        <span className={classes.message}>{escapeBidi(entry.message)}</span>
      </summary>
      <pre className={classes.raw}>{escapeBidi(entry.raw)}</pre>
    </details>
  );
}
