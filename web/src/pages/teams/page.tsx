// Every team, the one that was used last first.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Team, teams } from "@/api/teams";
import { plural } from "@/domain/text/format";
import { StatePill } from "@/ui/data/state-pill";
import { RelativeTime } from "@/ui/data/time";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { TextLink } from "@/ui/link";
import { Page, Panel } from "@/ui/page";
import classes from "./teams.module.css";

export { TeamPage } from "./team-page";

export function TeamsPage() {
  const query = useQuery(teams());
  return (
    <Page title="Teams">
      <Loaded query={query} label="Teams">
        {(data) => (data.teams.length === 0 ? <NoTeams /> : <List teams={data.teams} />)}
      </Loaded>
    </Page>
  );
}

function List({ teams }: { teams: Team[] }) {
  const navigate = useNavigate();
  const open = (index: number): void => {
    const teamId = teams[index]?.id;
    if (teamId) void navigate({ to: "/teams/$teamId", params: { teamId } });
  };
  const [at] = useListKeys({ count: teams.length, open, leave: () => void navigate({ to: "/" }) });
  return (
    <Panel>
      <ul className={classes.list} aria-label="Teams">
        {teams.map((team, index) => (
          <li key={team.id ?? team.path} className={classes.row} data-active={index === at}>
            <div className={classes.what}>
              <div className={classes.line}>
                {team.id ? (
                  <TextLink to="/teams/$teamId" params={{ teamId: team.id }} className={classes.name}>
                    {team.name}
                  </TextLink>
                ) : (
                  <b>{team.name}</b>
                )}
                <StatePill state={team.state} />
              </div>
              <div className={team.error ? classes.error : classes.muted}>
                {team.error ?? (team.members.join(", ") || "no members")}
              </div>
            </div>
            <span className={classes.muted}>{plural(team.message_count, "message")}</span>
            <span className={classes.when}>
              <RelativeTime at={team.updated_at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function NoTeams() {
  return (
    <EmptyState title="No teams yet">
      Agents of a team write to each other. <code>li team create NAME --members a,b</code> makes one, and{" "}
      <code>li agent … --team-mode NAME</code> lets an agent take part.
    </EmptyState>
  );
}
