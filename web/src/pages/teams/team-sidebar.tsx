// Members of a team with their unread counts, and its sessions.
import type { TeamDetail } from "@/api/teams";
import { RelativeTime } from "@/ui/data/time";
import { TextLink } from "@/ui/link";
import classes from "./teams.module.css";

export function TeamSidebar({ detail }: { detail: TeamDetail }) {
  const { team, unread, linked } = detail;
  return (
    <aside className={classes.sidebar} aria-label="About the team">
      <h2>Members</h2>
      <ul className={classes.members}>
        {team.members.map((member) => (
          <li key={member}>
            <span className={classes.member}>{member}</span>
            {(unread[member] ?? 0) > 0 ? (
              <span className={classes.unread}>{unread[member]} unread</span>
            ) : (
              <span className="muted">all read</span>
            )}
          </li>
        ))}
      </ul>
      {linked.length > 0 && (
        <>
          <h2>Sessions</h2>
          <ul className={classes.members}>
            {linked.map((run) => (
              <li key={run.id}>
                <TextLink to="/runs/$runId" params={{ runId: run.id }}>
                  {run.name ?? run.id}
                </TextLink>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>File</h2>
      <p className={classes.path}>
        {team.path ? <code>{team.path}</code> : "Database only"}
        <br />
        Created <RelativeTime at={team.created_at} />
      </p>
    </aside>
  );
}
