// Marks dead runs as failed, after showing the proof of each.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { deadRuns, markDeadRuns } from "@/api/admin";
import { keys } from "@/api/keys";
import { plural } from "@/domain/text/format";
import { capitalizeHint, endSentence } from "@/domain/text/hints";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import classes from "./admin.module.css";

export function MarkFailed({ sessionIds, close }: { sessionIds: string[]; close: () => void }) {
  const queries = useQueryClient();
  const query = useQuery(deadRuns(sessionIds));
  const dead = query.data?.transitions ?? [];
  const run = async (): Promise<string> => {
    const { transitions } = await markDeadRuns(
      false,
      dead.map((one) => one.session_id),
    );
    await queries.invalidateQueries({ queryKey: keys.admin() });
    return `${plural(transitions.length, "run")} marked as failed`;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title={sessionIds.length === 1 ? "Mark this run as failed?" : "Mark dead runs as failed?"}
      confirmLabel={`Mark ${plural(dead.length, "run")} as failed`}
      danger
      disabled={dead.length === 0}
      run={run}
    >
      <Loaded query={query} label="Dead runs">
        {({ transitions }) =>
          transitions.length === 0 ? (
            <p>None of these runs is dead now.</p>
          ) : (
            <>
              <p>The process of each run is gone; this is the proof. Messages are kept.</p>
              <ul className={classes.preview}>
                {transitions.map((one) => (
                  <li key={one.session_id}>
                    <TextLink to="/runs/$runId" params={{ runId: one.session_id }}>
                      {one.display_name}
                    </TextLink>
                    <ul>
                      {one.evidence.map((line) => (
                        <li key={line}>{endSentence(capitalizeHint(line))}</li>
                      ))}
                    </ul>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </ConfirmDialog>
  );
}
