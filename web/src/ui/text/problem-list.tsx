// Problems of a definition file.
import type { Schema } from "@/api/keys";
import { capitalizeHint, endSentence } from "@/domain/text/hints";
import { CodeSpans } from "./code-spans";
import classes from "./problem-list.module.css";

export function ProblemList({ problems }: { problems: Schema<"TextProblem">[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={classes.problems} aria-label="Problems">
      {problems.map((problem, index) => (
        <li key={index} data-severity={problem.severity}>
          {problem.line !== null && <b>line {problem.line}: </b>}
          <CodeSpans text={problem.hint ? endSentence(problem.message) : problem.message} />{" "}
          {problem.hint && (
            <span className="muted">
              <CodeSpans text={capitalizeHint(problem.hint)} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
