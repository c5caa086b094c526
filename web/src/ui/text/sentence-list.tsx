// Sentences of the API as a list; the ids of commits are shortened and as code.
import { escapeBidi } from "@/domain/text/bidi";
import classes from "./sentence-list.module.css";

const COMMIT = /\b([0-9a-f]{40})\b/;
const SHORT = 12;

export function SentenceList({ lines }: { lines: readonly string[] }) {
  return (
    <ul className={classes.list}>
      {lines.map((line) => (
        <li key={line}>
          {escapeBidi(line)
            .split(COMMIT)
            .map((part, index) =>
              index % 2 === 1 ? (
                <code key={index} title={part}>
                  {part.slice(0, SHORT)}
                </code>
              ) : (
                part
              ),
            )}
        </li>
      ))}
    </ul>
  );
}
