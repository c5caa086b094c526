// Merges the imported copies of recorded runs, after listing them.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { doubles } from "@/api/admin";
import { keys } from "@/api/keys";
import { startLaunch, waitForLaunch } from "@/api/launches";
import { formatInteger, plural } from "@/domain/text/format";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { Loaded } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import classes from "./admin.module.css";

export function MergeDoubles({ close }: { close: () => void }) {
  const query = useQuery(doubles());
  const queries = useQueryClient();
  const count = query.data?.doubles.length ?? 0;
  const run = async (): Promise<string> => {
    const { launch } = await startLaunch({ verb: "fix", target: "doubles", prompt: "" });
    await waitForLaunch(launch.id);
    await queries.invalidateQueries({ queryKey: keys.admin() });
    const left = (await queries.fetchQuery({ ...doubles(), staleTime: 0 })).doubles.length;
    return left === 0 ? `${plural(count, "copy", "copies")} merged` : `${left} of ${count} copies are left`;
  };
  return (
    <ConfirmDialog
      opened
      close={close}
      title="Merge imported copies?"
      confirmLabel={`Merge ${plural(count, "copy", "copies")}`}
      danger
      disabled={count === 0}
      run={run}
    >
      <p>
        These runs are stored twice: as they were recorded, and as imported from the transcript of the program. What
        only the copy has is added to the recorded run; then the copy is deleted.
      </p>
      <Loaded query={query} label="Copies">
        {(data) => (
          <ul className={classes.preview}>
            {data.doubles.map((double) => (
              <li key={double.copy_id}>
                <TextLink to="/runs/$runId" params={{ runId: double.session_id }} className={classes.inlineLink}>
                  {double.title ?? double.session_id}
                </TextLink>
                : copy with {formatInteger(double.messages)} messages
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </ConfirmDialog>
  );
}
