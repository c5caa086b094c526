// Starts a process; shows its progress, and the reason when it fails.
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorText } from "@/api/errors";
import { keys } from "@/api/keys";
import { launch, launches, startLaunch } from "@/api/launches";
import { errorLine } from "@/domain/actions";
import { jobState } from "@/domain/runs/jobs";
import { announceEnd } from "@/ui/new-run/started-jobs";
import { CodeSpans } from "@/ui/text/code-spans";

interface JobButtonProps {
  verb: string;
  target: string;
  label: string;
  busyLabel: string;
}

export function JobButton({ verb, target, label, busyLabel }: JobButtonProps) {
  const queries = useQueryClient();
  const [refusal, setRefusal] = useState<string>();
  const jobs = useQuery(launches()).data?.launches;
  const last = jobs?.find((job) => job.verb === verb && job.target === target);
  const isRunning = last?.running === true;
  const hasFailed = last !== undefined && !isRunning && last.exit_code !== 0;
  const output = useQuery({ ...launch(last?.id ?? "", false), enabled: hasFailed }).data?.output;
  const start = async (): Promise<void> => {
    setRefusal(undefined);
    try {
      announceEnd((await startLaunch({ verb, target, prompt: "" })).launch.id);
    } catch (error) {
      setRefusal(errorText(error));
    }
    await queries.invalidateQueries({ queryKey: keys.launches() });
  };
  const problem = refusal ?? (hasFailed ? errorLine(output ?? "") || `exit code ${last.exit_code}` : undefined);
  return (
    <div>
      <Button fullWidth size="sm" disabled={isRunning} onClick={() => void start()}>
        {isRunning ? `${busyLabel} ${last.progress?.total ? jobState(last).text : ""}` : label}
      </Button>
      {problem && (
        <p className="error-text" role="alert">
          <CodeSpans text={problem} />
        </p>
      )}
    </div>
  );
}
