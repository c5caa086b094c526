// Runs that this run came from, and runs that came from it.
import { RELATIONS, relatedName } from "@/domain/runs/relations";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import type { Detail } from "../transcript/segments";
import classes from "./sections.module.css";

export function Lineage({ detail: { origins, successors } }: { detail: Detail }) {
  if (origins.length === 0 && successors.length === 0) return null;
  return (
    <>
      <h3 className={classes.subheading}>Related runs</h3>
      <dl className={classes.facts}>
        {origins.map((run) => (
          <Related key={run.relation} {...run} />
        ))}
        {successors.map((run) => (
          <Related key={run.id} {...run} />
        ))}
      </dl>
    </>
  );
}

interface RelatedRun {
  id: string;
  relation: string;
  name: string | null;
  created_at?: number;
}

function Related({ id, relation, name, created_at: at }: RelatedRun) {
  return (
    <>
      <dt>{RELATIONS[relation] ?? relation}</dt>
      <dd>
        <TextLink to="/runs/$runId" params={{ runId: id }}>
          {relatedName({ id, name })}
        </TextLink>
        {at !== undefined && (
          <span className="muted">
            {" "}
            <RelativeTime at={at} />
          </span>
        )}
      </dd>
    </>
  );
}
