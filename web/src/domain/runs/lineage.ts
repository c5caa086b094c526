// The messages that a run inherited from other runs.

interface Ancestor {
  branch_id: string;
  session_id: string;
  last_ord: number;
}

export interface Lineage<T extends Ancestor = Ancestor> {
  session: { id: string };
  branches: readonly { inherited: readonly T[] }[];
}

/** What the first branch that was forked from another run inherited, also from its own run. */
export function ancestorsOf<T extends Ancestor>({ session, branches }: Lineage<T>): readonly T[] | undefined {
  return branches.find(({ inherited }) => inherited.some(({ session_id }) => session_id !== session.id))?.inherited;
}

export function fromOtherRuns<T extends Ancestor>(ancestors: readonly T[] | undefined, sessionId: string): T[] {
  return (ancestors ?? []).filter(({ session_id, last_ord }) => session_id !== sessionId && last_ord >= 0);
}
