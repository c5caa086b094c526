// The results of gates one by one: name, result, time, and the output behind it.
import { IconCheck, IconX } from "@tabler/icons-react";
import type { Check } from "@/domain/questions/checks";
import { escapeBidi } from "@/domain/text/bidi";
import { duration } from "@/domain/text/format";
import { CodeBlock } from "../text/code-block";
import classes from "./check-list.module.css";

const FOLDED_LENGTH = 2000;

export function CheckList({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <ul className={classes.checks} aria-label="Checks">
      {checks.map((check, index) => (
        <CheckRow key={index} check={check} />
      ))}
    </ul>
  );
}

function CheckRow({ check: { title, passed, summary, output, seconds, confinement } }: { check: Check }) {
  const Icon = passed ? IconCheck : IconX;
  return (
    <li data-passed={passed}>
      <Icon size={14} stroke={2} role="img" aria-label={passed ? "passed" : "failed"} />
      <div>
        <div className={classes.line}>
          <code className={classes.name} title={escapeBidi(title)}>
            {escapeBidi(title)}
          </code>
          <span className={classes.result}>{passed ? "passed" : "failed"}</span>
          {seconds !== undefined && <span className={classes.fact}>{duration(seconds * 1000)}</span>}
          {confinement && <span className={classes.fact}>{escapeBidi(confinement)}</span>}
        </div>
        {/* The summary of a command repeats its name. */}
        {!passed && <div className={classes.summary}>{escapeBidi(summary.replace(`\`${title}\`: `, ""))}</div>}
        {output !== "" && (
          <details open={!passed}>
            <summary>Output</summary>
            <CodeBlock text={escapeBidi(output)} label={`Output of ${title}`} maxLength={FOLDED_LENGTH} />
          </details>
        )}
      </div>
    </li>
  );
}
