import { TextLink } from "@/ui/link";
import type { Detail } from "./transcript/segments";

/** The name of a fork, with a link if it is another run. */
export function ForkLink({ fork, session }: { fork: Detail["forks"][number]; session: Detail["session"] }) {
  if (fork.session_id === session.id) return <span>{fork.name ?? fork.branch_id.slice(-8)}</span>;
  return (
    <TextLink to="/runs/$runId" params={{ runId: fork.session_id }}>
      {fork.session_name ?? fork.name ?? fork.session_id.slice(-8)}
    </TextLink>
  );
}
