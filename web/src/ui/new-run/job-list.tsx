// The processes that this Studio started last.
import { useQuery } from "@tanstack/react-query";
import { launches } from "@/api/launches";
import { jobState, jobTitle } from "@/domain/runs/jobs";
import { RelativeTime } from "../data/time";
import { TextLink } from "../link";
import classes from "./new-run.module.css";
import { closeNewRun } from "./open-new-run";

const SHOWN = 3;

export function JobList() {
  const jobs = useQuery(launches()).data?.launches.slice(0, SHOWN) ?? [];
  if (jobs.length === 0) return null;
  return (
    <section className={classes.jobs} aria-label="Started here">
      <h3>Started here</h3>
      <ul className="plain-list">
        {jobs.map((job) => {
          const { text, tone } = jobState(job);
          return (
            <li key={job.id} className={classes.job}>
              <span className={classes.jobName}>
                {job.session_id ? (
                  <TextLink to="/runs/$runId" params={{ runId: job.session_id }} onClick={closeNewRun}>
                    {jobTitle(job)}
                  </TextLink>
                ) : (
                  jobTitle(job)
                )}
              </span>
              <span className={classes.jobState} data-tone={tone}>
                {text}
              </span>
              <span className="muted">
                <RelativeTime at={job.started_at} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
