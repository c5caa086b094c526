// Announces the end of the processes that were started in this browser: their last line, with a link to the result.
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { keys } from "@/api/keys";
import { fetchLaunch, type Launch, launches } from "@/api/launches";
import { useStore } from "@/api/store";
import { errorLine, lastLine } from "@/domain/actions";
import { jobPage, jobTitle } from "@/domain/runs/jobs";
import { forgetJobs, startedJobs } from "./started-jobs";

const POLL_MS = 1000;
const SETTLE_MS = 10_000;

export function JobWatcher() {
  const pending = useStore(startedJobs);
  const { data, dataUpdatedAt } = useQuery({ ...launches(), refetchInterval: POLL_MS });
  const router = useRouter();
  const queries = useQueryClient();
  const settle = useEffectEvent((all: readonly Launch[]) => {
    const ended = all.filter(({ id, running }) => pending.some((job) => job.id === id) && !running);
    // A server that was restarted does not know the processes of the one before; a list from before the start either.
    const unknown = pending.filter(({ id, at }) => dataUpdatedAt > at + SETTLE_MS && !all.some((job) => job.id === id));
    if (ended.length + unknown.length === 0) return;
    forgetJobs([...ended, ...unknown].map(({ id }) => id));
    void queries.invalidateQueries({ queryKey: keys.admin() });
    for (const launch of ended) {
      const page = jobPage(launch);
      // The page of the run shows its end itself.
      if (launch.session_id && router.state.location.pathname === page) continue;
      void announce(launch, page, () => void router.navigate({ to: page }));
    }
  });
  useEffect(() => {
    if (data) settle(data.launches);
  }, [data]);
  return null;
}

async function announce(launch: Launch, page: string, open: () => void): Promise<void> {
  const failed = launch.exit_code !== 0;
  const title = `${jobTitle(launch)}: ${failed ? "failed" : "done"}`;
  // The last line of an agent is its answer, which may be long and hostile; the run shows it.
  const output =
    launch.session_id && !failed
      ? ""
      : await fetchLaunch(launch.id).then(
          ({ output }) => output,
          () => "",
        );
  const text = (failed ? errorLine(output) : lastLine(output)).slice(0, 400);
  notifications.show({
    title,
    message: (
      <>
        {text && <div>{text}</div>}
        <a
          href={page}
          onClick={(event) => {
            event.preventDefault();
            open();
          }}
        >
          {launch.session_id ? "Open run" : "Open"}
        </a>
      </>
    ),
    color: failed ? "red" : "green",
    withBorder: true,
    autoClose: failed ? false : 12_000,
  });
}
