// The runs before and after this one, as facts of the header.
import type { ReactNode } from "react";
import { RELATIONS, relatedName } from "@/domain/runs/relations";
import { TextLink } from "@/ui/link";
import type { Detail } from "../transcript/segments";

/** Forks of this run are at their message; of several others the newest. */
export function lineageFacts({ origins, successors }: Detail): { name: string; value: ReactNode }[] {
  const newest = new Map(successors.map((run) => [run.relation, run]));
  return [...origins, ...newest.values()]
    .filter(({ relation }) => relation !== "forked")
    .map(({ id, relation, name }) => ({
      name: RELATIONS[relation] ?? relation,
      value: (
        <TextLink to="/runs/$runId" params={{ runId: id }}>
          {relatedName({ id, name }).slice(0, 60)}
        </TextLink>
      ),
    }));
}
