// What is wrong with a file, in its own words.
import type { Schema } from "@/api/keys";
import { withHint } from "@/domain/text/hints";
import classes from "./plugins.module.css";

export function Problems({ problems }: { problems: Schema<"TextProblem">[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className={classes.problems}>
      {problems.map((problem, index) => (
        <li key={index} data-severity={problem.severity}>
          {problem.line !== null && `line ${problem.line}: `}
          {withHint(problem.message, problem.hint)}
        </li>
      ))}
    </ul>
  );
}
