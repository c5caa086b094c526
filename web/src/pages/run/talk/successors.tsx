// At the end of a run: the runs that continued or repeated it.
import { IconArrowRight } from "@tabler/icons-react";
import { RELATIONS, relatedName } from "@/domain/runs/relations";
import { TextLink } from "@/ui/link";
import type { Detail } from "../transcript/segments";
import classes from "./talk.module.css";

export function Successors({ detail: { successors } }: { detail: Detail }) {
  const shown = successors.filter(({ relation }) => relation !== "forked");
  if (shown.length === 0) return null;
  return (
    <ul className={classes.successors} aria-label="Continued in">
      {shown.map(({ id, relation, name, status }) => (
        <li key={id}>
          <IconArrowRight size={13} aria-hidden /> {RELATIONS[relation]}{" "}
          <TextLink to="/runs/$runId" params={{ runId: id }}>
            {relatedName({ id, name })}
          </TextLink>
          {status && <span className={classes.state}>{status.replace("_", " ")}</span>}
        </li>
      ))}
    </ul>
  );
}
