// Members of a team with their unread counts, its runs and its file. A member leads to its inbox.
import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { keys } from "@/api/keys";
import { addTeamMembers, type TeamDetail } from "@/api/teams";
import { StateIcon } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { runAction } from "@/ui/feedback/run-action";
import { TextLink } from "@/ui/link";
import classes from "./teams.module.css";

interface SidebarProps {
  id: string;
  detail: TeamDetail;
  /** The member whose inbox is shown. */
  selected: string | undefined;
}

export function TeamSidebar({ id, detail, selected }: SidebarProps) {
  const { team, unread, linked } = detail;
  return (
    <aside className={classes.sidebar} aria-label="About the team">
      <h2>Members</h2>
      <ul className={classes.members}>
        {team.members.map((member) => (
          <li key={member}>
            <TextLink
              className={classes.member}
              to="/teams/$teamId"
              params={{ teamId: id }}
              search={selected === member ? {} : { member }}
              aria-current={selected === member}
            >
              {member}
            </TextLink>
            {(unread[member] ?? 0) > 0 ? (
              <span className={classes.unread}>{unread[member]} unread</span>
            ) : (
              <span className="muted">all read</span>
            )}
          </li>
        ))}
      </ul>
      {team.status !== "archived" && <AddMember id={id} />}
      <h2>Runs</h2>
      {linked.length === 0 && (
        <p className={classes.path}>
          None yet. <code>li agent … --team-mode {team.name}</code> starts one.
        </p>
      )}
      <ul className={classes.members}>
        {linked.map((run) => (
          <li key={run.id}>
            <TextLink className={classes.member} to="/runs/$runId" params={{ runId: run.id }}>
              {run.name ?? run.id}
            </TextLink>
            <span className={classes.runState} data-tone={run.state?.tone}>
              {run.state && (
                <>
                  <StateIcon icon={run.state.icon} /> {run.state.label}
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <h2>File</h2>
      <p className={classes.path}>
        {team.path ? <code>{team.path}</code> : "Database only"}
        <br />
        Created <RelativeTime at={team.created_at} />
      </p>
    </aside>
  );
}

function AddMember({ id }: { id: string }) {
  const [name, setName] = useState("");
  const queries = useQueryClient();
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const member = name.trim();
    if (member === "") return;
    const added = await runAction(async () => {
      await addTeamMembers(id, [member]);
      await queries.invalidateQueries({ queryKey: keys.team(id) });
      return `${member} added`;
    });
    if (added) setName("");
  };
  return (
    <form className={classes.addMember} onSubmit={(event) => void add(event)}>
      <TextInput
        aria-label="New member"
        placeholder="New member"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" disabled={name.trim() === ""}>
        Add
      </Button>
    </form>
  );
}
