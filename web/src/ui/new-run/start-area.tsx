// The dialog that starts a run, and the notifications of what was started; loaded when one of them is needed.
import { useStore } from "@/api/store";
import { JobWatcher } from "./job-watcher";
import { NewRunDialog } from "./new-run-dialog";
import { newRunRequest } from "./open-new-run";
import { startedJobs } from "./started-jobs";

export default function StartArea() {
  const request = useStore(newRunRequest);
  const hasJobs = useStore(startedJobs).length > 0;
  return (
    <>
      {request && <NewRunDialog request={request} />}
      {hasJobs && <JobWatcher />}
    </>
  );
}
